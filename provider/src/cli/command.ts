import { parseArgs } from "node:util";

/** A command of `pulumi-partners`. */
export interface Command {
  /** What `--help` prints. */
  readonly help: string;
  /**
   * Runs the command with the arguments after its name; resolves to the exit code.
   * @throws {UsageError} or {@link CommandError}
   */
  readonly run: (args: readonly string[]) => Promise<number>;
}

/** The command line is wrong, so nothing was done; the exit code is 2. The message is part of a sentence. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command cannot go on; the exit code is 1. The message is everything the user needs to know. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/**
 * Parses a command line that consists of options with values only.
 *
 * @throws {UsageError} that repeats no argument but the name of an option: an argument may be a key in the wrong place.
 */
export function parseOptions<const Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): { readonly [Option in Name]?: string } {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  // The messages of strict parsing repeat what they refuse, over several lines.
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
