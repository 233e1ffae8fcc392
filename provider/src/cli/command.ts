import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

/** A command of `pulumi-partners`. */
export interface Command {
  /** One line for the overview. */
  readonly summary: string;
  /**
   * Runs it with the arguments behind its name; resolves to the exit code.
   * @throws {@link UsageError}, {@link CommandError}, or an error of the provider.
   */
  readonly run: (args: readonly string[]) => Promise<number>;
}

/** The command line cannot be understood; the exit code is then 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command cannot go on. The message is all that the user has to know; the exit code is 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** The option by which a command prints its options. */
export const HELP_OPTION = { type: "boolean", short: "h", default: false } as const;

/**
 * Understands a command line of options only. A positional argument is not repeated: it may be a key in the wrong place.
 *
 * @throws {UsageError} or an error of `parseArgs`, whose messages are made for users.
 */
export function parseOptions<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  if (positionals.length > 0) throw new UsageError("only options are understood.");
  return values;
}
