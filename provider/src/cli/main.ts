import { messageOf } from "../plugin/boundary.js";
import { VERSION } from "../version.js";
import { adoptCommand } from "./adopt/adopt.js";
import { CommandError, UsageError, type Command } from "./command.js";
import { doctorCommand } from "./doctor/doctor.js";
import { printable } from "./output.js";
import { sandboxCommand } from "./sandbox.js";

const COMMANDS: Readonly<Record<string, Command>> = {
  doctor: doctorCommand,
  adopt: adoptCommand,
  sandbox: sandboxCommand,
};

const HELP = `Usage: pulumi-partners <command> [options]

Commands:
${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(11)}${summary}`)
  .join("\n")}

Options:
  -h, --help  this text; behind a command, its options
  --version   the version of this package
`;

async function main(args: readonly string[]): Promise<number> {
  const asked = args[0] === "help";
  const [name = asked ? "--help" : undefined, ...rest] = asked ? args.slice(1) : args;
  if (name === "--help" || name === "-h") {
    process.stdout.write(HELP);
    return 0;
  }
  if (name === "--version") {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (command !== undefined) return await command.run(asked ? ["--help"] : rest);
    throw new UsageError(name === undefined ? "a command is missing." : "there is no such command.");
  } catch (error) {
    const prefix = command === undefined ? "pulumi-partners" : `pulumi-partners ${String(name)}`;
    const usage = isUsageError(error);
    // One line for a typing mistake: parseArgs writes up to three.
    const text = usage ? `${error.message.replaceAll("\n", " ")} Try "${prefix} --help".` : explain(error);
    process.stderr.write(`${prefix}: ${printable(text)}\n`);
    return usage ? 2 : 1;
  }
}

/** Of an error that nobody foresaw only the kind: its message may repeat what it failed at. */
function explain(error: unknown): string {
  return error instanceof CommandError ? error.message : messageOf(error);
}

function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("ERR_PARSE_ARGS_"); // From parseArgs, whose messages are made for users.
}

// Who reads along, as `head` does, may stop before the end; the work goes on, as it may have to clean up.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
