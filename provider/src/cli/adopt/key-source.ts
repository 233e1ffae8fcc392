import { CommandError } from "../command.js";

/** Bytes after which stdin is no key: what a service accepts as one is shorter, and `keyProblems` says by how much. */
const MOST_BYTES = 64 * 1024;

/**
 * Takes a key from where it is kept, without a newline at its end. The variable is removed from the environment of this
 * process, so that none of the commands it runs inherits the key.
 *
 * @param variable The name of an environment variable; `null` for stdin.
 * @throws {CommandError} that repeats nothing: what was given as a name may be the key.
 */
export async function readKey(variable: string | null): Promise<string> {
  const text = variable === null ? await readStdin() : process.env[variable];
  if (variable !== null) Reflect.deleteProperty(process.env, variable);
  if (text === undefined || text === "") {
    throw new CommandError(
      variable === null
        ? "There is nothing on stdin. Pipe the key into the command, or give --api-key-env."
        : "The environment variable that --api-key-env names is not set. Give the name of the variable, not the key, and export it.",
    );
  }
  return text.replace(/\r?\n$/, "");
}

async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) {
    throw new CommandError(
      "stdin is a terminal, which would show the key. Pipe it into the command, or give --api-key-env.",
    );
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_BYTES)
      throw new CommandError("There is more on stdin than a key. Pipe only the key into the command.");
  }
  return Buffer.concat(chunks).toString("utf8");
}
