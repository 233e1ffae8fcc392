import { resolve } from "node:path";

import { HELP_OPTION, parseOptions, UsageError, type Command } from "../command.js";
import { confirm } from "../confirm.js";
import { printableJson } from "../output.js";
import { findProject, PROJECT_OPTIONS, PROJECT_OPTIONS_HELP } from "../project.js";
import { examine } from "./examine.js";
import { printCheck, printRest } from "./print.js";

const HELP = `Usage: pulumi-partners doctor [options]

Finds out what works from here, and what to do about the rest. Sends one GET, and changes nothing
unless --try-create is given. Never prints the access token or a key.

Options:
${PROJECT_OPTIONS_HELP}
  --account <name>         account of a Provider of the program (default: that of stack configuration)
  --try-create             make a key, read it and delete it again; asks first
  --yes                    do not ask
  --json                   print one JSON object instead
  -h, --help               this text

Exit codes:
  0  nothing failed (there may be warnings)
  1  a check failed
  2  the command line is wrong; nothing was done
  3  a key may exist at the service that nobody holds: see what is printed
`;

/** `pulumi-partners doctor`: examines everything between here and the service. */
export const doctorCommand: Command = {
  summary: "find out what works from here, and what to do about the rest",
  run: async (args) => {
    const values = parseOptions(args, {
      ...PROJECT_OPTIONS,
      account: { type: "string" },
      "try-create": { type: "boolean", default: false },
      yes: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: HELP_OPTION,
    });
    if (values.help) {
      process.stdout.write(HELP);
      return 0;
    }
    if (values["try-create"] && !values.yes && !process.stdin.isTTY) {
      throw new UsageError("--try-create asks first, and there is no terminal to answer: add --yes.");
    }
    const project = await findProject(values.cwd);
    if (project === null && (values.stack ?? values.account) !== undefined) {
      throw new UsageError("--stack and --account need a Pulumi project, and there is none here: add --cwd.");
    }
    const report = await examine({
      folder: resolve(values.cwd),
      project,
      stack: values.stack,
      account: values.account,
      env: process.env,
      tell: (check) => {
        if (!values.json) process.stdout.write(printCheck(check));
      },
      mayCreate: values["try-create"]
        ? async (server) => values.yes || confirm(`Make a key at ${server} and delete it again?`)
        : null,
    });
    process.stdout.write(values.json ? `${printableJson(report)}\n` : printRest(report));
    return report.exitCode;
  },
};
