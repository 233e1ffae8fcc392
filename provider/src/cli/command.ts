/** A command of `pulumi-partners`. It depends on nothing, so that both commands can import it. */
export interface Command {
  readonly help: string;
  /** The names of its options, which all take a value. */
  readonly options: readonly string[];
  /** Returns the exit code. @throws {Error} with a sentence, if an option is wrong or nothing can be done. */
  run(values: Readonly<Partial<Record<string, string>>>): Promise<number>;
}
