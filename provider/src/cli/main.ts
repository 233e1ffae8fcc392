import { parseArgs } from "node:util";

import { VERSION } from "../version.js";
import { doctorCommand } from "./doctor.js";
import { sandboxCommand } from "./sandbox-command.js";

/** A command of `pulumi-partners`. */
interface Command {
  readonly help: string;
  /** The names of its options, which all take a value. */
  readonly options: readonly string[];
  /** Returns the exit code. @throws {Error} with a sentence, if an option is wrong or nothing can be done. */
  run(values: Partial<Record<string, string>>): Promise<number>;
}

const COMMANDS = new Map<string, Command>([
  ["doctor", doctorCommand],
  ["sandbox", sandboxCommand],
]);

const HELP = `Usage: pulumi-partners <command> [options]

Commands:
  doctor     check everything between this machine and the service
  sandbox    start a Partner API on this machine to try things out

Options:
  -h, --help  show this text; after a command, show its options
  --version   show the version of this package
`;

async function main(args: readonly string[]): Promise<number> {
  const wantsHelp = args.some((word) => word === "-h" || word === "--help");
  const [name = "", ...rest] = args;
  const command = COMMANDS.get(name);
  if (name === "--version") return print(`${VERSION}\n`);
  if (wantsHelp) return print(command?.help ?? HELP);
  if (command === undefined)
    return fail('The command is missing or unknown: run "npx --no -- pulumi-partners --help".');
  try {
    return await command.run(parseOptions(command, name, rest));
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function parseOptions({ options }: Command, name: string, args: string[]): Record<string, string> {
  const config = Object.fromEntries(options.map((option) => [option, { type: "string" as const }]));
  try {
    return parseArgs({ args, options: config }).values as Record<string, string>;
  } catch {
    // The caught error repeats the rejected argument, which may be a misplaced key.
    throw new Error(
      `An option is unknown or has no value: run "npx --no -- pulumi-partners ${name} --help".`,
    );
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function fail(sentence: string): number {
  process.stderr.write(`pulumi-partners: ${sentence}\n`);
  return 1;
}

// A reader such as `head` may close the pipe early.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
