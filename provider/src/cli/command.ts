import { parseArgs } from "node:util";

import { CONTROL_CHARACTERS, INVISIBLE } from "../api/visible-text.js";

export interface Command {
  readonly help: string;
  /**
   * Returns the exit code.
   *
   * @param args The arguments after the command's name.
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

/** Parses a command line in which every argument is an option with a value. @throws {UsageError} */
export function parseOptions<const Name extends string>(args: readonly string[], names: readonly Name[]) {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  try {
    return parseArgs({ args: [...args], options }).values as { readonly [Option in Name]?: string };
  } catch {
    // The caught error repeats the rejected argument, which may be a misplaced key.
    const valid = names.map((name) => `--${name}=<value>`).join(", ");
    throw new UsageError(`an option is unknown or has no value; valid options are ${valid}`);
  }
}

/** Makes untrusted text, such as a resource name from the state, safe to print within a line. */
export function printable(text: string): string {
  return text.replace(INVISIBLE, "").replace(CONTROL_CHARACTERS, "?");
}
