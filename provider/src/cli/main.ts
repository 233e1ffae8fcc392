#!/usr/bin/env node
import { VERSION } from "../version.js";
import { UsageError, type Command } from "./command.js";
import { sandboxCommand } from "./sandbox.js";

const COMMANDS: Readonly<Record<string, Command>> = {
  sandbox: sandboxCommand,
};

const HELP = `Usage: pulumi-partners <command> [options]

Commands:
${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`)
  .join("\n")}

Options:
  --help     this text; behind a command, its options
  --version  the version of this package
`;

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === "--help") {
    process.stdout.write(HELP);
    return 0;
  }
  if (name === "--version") {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (command !== undefined) return await command.run(rest);
    throw new UsageError(name === undefined ? "a command is missing." : `there is no command "${name}".`);
  } catch (error) {
    const prefix = command === undefined ? "pulumi-partners" : `pulumi-partners ${String(name)}`;
    const usage = isUsageError(error);
    const message = error instanceof Error ? error.message : String(error);
    // One line for a typing mistake: parseArgs writes up to three.
    const text = usage ? `${message.replaceAll("\n", " ")} Try "${prefix} --help".` : message;
    process.stderr.write(`${prefix}: ${text}\n`);
    return usage ? 2 : 1;
  }
}

function isUsageError(error: unknown): boolean {
  if (error instanceof UsageError) return true;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("ERR_PARSE_ARGS_"); // From parseArgs, whose messages are made for users.
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
