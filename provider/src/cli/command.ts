import { parseArgs } from "node:util";

/** A command of `pulumi-partners`. */
export interface Command {
  /** The text that `--help` prints. */
  readonly help: string;
  /**
   * Runs the command with the arguments that follow its name.
   *
   * @returns The exit code.
   * @throws {UsageError} or {@link CommandError}.
   */
  readonly run: (args: readonly string[]) => Promise<number>;
}

/** The command line is wrong, and nothing was done. Exit code 2. The message is part of a sentence. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command failed. Exit code 1. The message tells the user everything they need to know. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/**
 * Parses a command line in which every argument is an option with a value.
 *
 * @throws {UsageError} that repeats only option names, because any other argument may be a misplaced key.
 */
export function parseOptions<const Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): { readonly [Option in Name]?: string } {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  // Strict parsing would repeat the rejected argument, in a message of several lines.
  const { values, tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") throw new UsageError("only options are allowed");
    if (!Object.hasOwn(options, token.name))
      throw new UsageError(
        `unknown option${/^--?[a-z-]{1,30}$/.test(token.rawName) ? ` ${token.rawName}` : ""}`,
      );
    if (token.value === undefined)
      throw new UsageError(`${token.rawName} needs a value: ${token.rawName}=<value>`);
  }
  return values as { readonly [Option in Name]?: string };
}
