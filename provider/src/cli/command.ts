import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

/** A command of `pulumi-partners`. */
export interface Command {
  /** One line for the overview. */
  readonly summary: string;
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
 * Parses a command line that consists of options only.
 *
 * @throws {UsageError} that repeats no argument but the name of an option: an argument may be a key in the wrong place.
 */
export function parseOptions<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (positionals.length === 0) return values;
  } catch (error) {
    throw new UsageError(describeMistake(error));
  }
  throw new UsageError("only options are allowed");
}

/** Words an error of `parseArgs`, whose own message spans several lines. */
function describeMistake(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, option] = /^[^']*'(?:-\w, )?(--?[a-z][a-z-]{0,30})(?: <value>)?'/.exec(message) ?? [];
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") return `unknown option ${option ?? ""}`.trimEnd();
  return `${option ?? "an option"} needs a value: ${option ?? ""}=<value>`;
}
