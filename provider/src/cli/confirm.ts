import { once } from "node:events";
import { createInterface } from "node:readline/promises";

/**
 * Asks a person at a terminal. Anything but yes is no, also the end of the input and Ctrl-C.
 *
 * @param question A sentence with a question mark.
 * @param output Where it is written: by default not where results go.
 */
export async function confirm(
  question: string,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<boolean> {
  const terminal = createInterface({ input, output });
  const closed = once(terminal, "close").then(() => "");
  // Ctrl-C and Ctrl-D make the question fail.
  const answered = terminal.question(`${question} [y/N] `).catch(() => "");
  const answer = await Promise.race([answered, closed]);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
