/** A command of `pulumi-partners`. */
export interface Command {
  /** One line for the overview. */
  readonly summary: string;
  /**
   * Runs it with the arguments behind its name; resolves to the exit code.
   * @throws {@link UsageError}, or an error whose message says all the user has to know.
   */
  readonly run: (args: readonly string[]) => Promise<number>;
}

/** The command line cannot be understood; the exit code is then 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
