import { statSync } from "node:fs";

import {
  accountName,
  findSetting,
  readSettings,
  variableOf,
  type ConfigSource,
  type Settings,
} from "../handlers/settings.js";
import { renderError, type MessageContext } from "../hosts/messages.js";
import { SETTING_NAMES } from "../setting-names.js";
import { CommandError, parseOptions, UsageError, type Command } from "./command.js";
import { checkCliVersion, checkPlugin } from "./installation.js";
import { findCli, findProjectRoot, openProject, readStack, type Stack } from "./pulumi-project.js";
import { check, renderCheck, type Check } from "./report.js";
import { checkService } from "./service.js";

const HELP = `Usage: pulumi-partners doctor [options]

Checks everything between this machine and the service, and says how to fix what fails. Sends one GET
and changes nothing. Never prints the access token or a key.

Options:
  --stack <name>   stack to check (default: the selected stack)
  --cwd <folder>   project folder (default: the current folder)
  -h, --help       show this text

Exit codes:
  0  nothing failed (there may be warnings)
  1  a check failed
  2  the command line is wrong; nothing was done
`;

/** `pulumi-partners doctor`: checks everything between this machine and the service. */
export const doctorCommand: Command = {
  help: HELP,
  run: async (args) => {
    const { stack, cwd = "." } = parseOptions(args, ["stack", "cwd"]);
    if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new UsageError("--cwd must be a folder that exists");
    const root = findProjectRoot(cwd);
    if (root === null && stack !== undefined)
      throw new UsageError("--stack needs a Pulumi project, and there is none here; use --cwd");
    const report = new Report({ explicit: false, environmentOnly: root === null });
    await runChecks(root, stack, report);
    return report.hasFailed ? 1 : 0;
  },
};

/** Prints each check as soon as its result is known. */
class Report {
  hasFailed = false;
  readonly #context: MessageContext;

  constructor(context: MessageContext) {
    this.#context = context;
  }

  add(...checks: readonly Check[]): void {
    for (const one of checks) {
      process.stdout.write(renderCheck(one));
      this.hasFailed ||= one.status === "failed";
    }
  }

  /** Runs a step that later checks depend on, and reports its failure. @returns Its result; `null` if it failed. */
  async attempt<Result>(name: string, act: () => Result | Promise<Result>): Promise<Result | null> {
    try {
      return await act();
    } catch (error) {
      const detail = error instanceof CommandError ? error.message : renderError(error, this.#context);
      this.add(check("failed", name, detail));
      return null;
    }
  }
}

async function runChecks(root: string | null, stackName: string | undefined, report: Report): Promise<void> {
  report.add(check("ok", "node", process.versions.node));
  const stack = await checkProject(root, stackName, report);
  if (stack === null) return; // All further checks need its configuration.
  const settings = await report.attempt("settings", () => readSettings(stack.config, process.env));
  if (settings === null) return;
  report.add(checkSettings(settings, stack));
  const checks = await report.attempt("service", () => checkService(settings, stack.declared));
  report.add(...(checks ?? []));
}

/** The stack outside a project, where settings come only from the environment. */
const NO_STACK: Stack = {
  name: "",
  config: { get: () => undefined },
  isSecret: () => false,
  declared: new Map(),
  providers: [],
};

/** Checks the CLI, the plugin and the stack. @returns The stack; `null` if there is a project but its stack cannot be read. */
async function checkProject(
  root: string | null,
  stackName: string | undefined,
  report: Report,
): Promise<Stack | null> {
  const cli = await report.attempt("pulumi-cli", findCli);
  if (cli !== null) report.add(checkCliVersion(cli.version?.version ?? null));
  if (root === null) {
    const detail = "There is no Pulumi project here, so only environment variables are used.";
    report.add(
      check("ok", "stack", detail, "To check a stack, run the doctor in its project, or use --cwd."),
    );
    return NO_STACK;
  }
  if (cli === null) return null;
  return report.attempt("stack", async () => {
    const project = await openProject(root, cli);
    if (project.usesNode) report.add(checkPlugin(project.programFolder));
    const stack = await readStack(project, stackName);
    report.add(check("ok", "stack", describeStack(stack)));
    return stack;
  });
}

function describeStack({ name, config, providers }: Stack): string {
  const unchecked =
    providers.length === 0 ? "" : ` Accounts of Provider resources are not checked: ${providers.join(", ")}.`;
  return `${name}, account ${accountName(config)}.${unchecked}`;
}

function checkSettings({ baseUrl }: Settings, { config, isSecret }: Stack): Check {
  const detail = `The service is ${baseUrl.origin}${baseUrl.prefix}.${describeVariables(config)}`;
  const fromStack = findSetting("accessToken", config, process.env)?.from === "configuration";
  if (!fromStack || isSecret("partners:accessToken")) return check("ok", "settings", detail);
  return check(
    "warning",
    "settings",
    `${detail} The access token is stored in plain text.`,
    "pulumi config set --secret partners:accessToken",
    "Then ask the service for a new token.",
  );
}

/** Lists the settings that come from the environment, without their values: some are secret. */
function describeVariables(config: ConfigSource): string {
  const names = SETTING_NAMES.filter(
    (name) => findSetting(name, config, process.env)?.from === "environment",
  );
  return names.length === 0 ? "" : ` From the environment: ${names.map(variableOf).join(", ")}.`;
}
