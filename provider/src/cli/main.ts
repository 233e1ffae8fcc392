import { assertNodeVersion } from "../shared/settings.js";
import { renderError } from "../messages/error-messages.js";
import { VERSION } from "../version.js";
import { CommandError, printable, UsageError } from "./command.js";
import { doctorCommand } from "./doctor.js";
import { sandboxCommand } from "./sandbox-command.js";

const COMMANDS = new Map(Object.entries({ doctor: doctorCommand, sandbox: sandboxCommand }));

const HELP = `Usage: pulumi-partners <command> [options]

Commands:
  doctor     check everything between this machine and the service
  sandbox    start a Partner API on this machine to try things out

Options:
  -h, --help  show this text; after a command, show its options
  --version   show the version of this package
`;

async function main(args: readonly string[]): Promise<number> {
  const wantsHelp = args.some(isHelp);
  const [name, ...rest] = args.filter((word) => !isHelp(word));
  const command = COMMANDS.get(name ?? "");
  try {
    if (name === "--version") return print(`${VERSION}\n`);
    if (name === undefined && wantsHelp) return print(HELP);
    if (command === undefined)
      throw new UsageError(name === undefined ? "a command is missing" : "there is no such command");
    if (wantsHelp) return print(command.help);
    assertNodeVersion(process.versions.node);
    return await command.run(rest);
  } catch (error) {
    const prefix = command === undefined ? "pulumi-partners" : `pulumi-partners ${String(name)}`;
    process.stderr.write(`${prefix}: ${printable(describe(error, prefix))}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function isHelp(word: string): boolean {
  return word === "-h" || word === "--help";
}

function print(text: string): 0 {
  process.stdout.write(text);
  return 0;
}

function describe(error: unknown, prefix: string): string {
  if (error instanceof UsageError) return `${error.message}. For usage, run "${prefix} --help".`;
  return error instanceof CommandError ? error.message : renderError(error);
}

// A reader such as `head` may close the pipe early.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
