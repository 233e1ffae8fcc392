import { statSync } from "node:fs";

import { findSetting, readSettings, variableOf, type ConfigSource } from "../handlers/settings.js";
import { renderError, renderNotice, type MessageContext } from "../hosts/messages.js";
import { SETTING_NAMES } from "../setting-names.js";
import { CommandError, parseOptions, UsageError, type Command } from "./command.js";
import {
  checkPlugin,
  findCli,
  findProjectRoot,
  openProject,
  readStack,
  type Stack,
} from "./pulumi-project.js";
import { check, printable, renderCheck, type Check } from "./report.js";
import { checkService } from "./service.js";
import { readState, type Account } from "./stack-state.js";

const HELP = `Usage: pulumi-partners doctor [options]

Checks everything between this machine and the service, and says how to fix what fails. Sends one GET for
each account and changes nothing. Never prints an access token or a key.

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
    const { stack: name, cwd = "." } = parseOptions(args, ["stack", "cwd"]);
    if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new UsageError("--cwd must be a folder that exists");
    const root = findProjectRoot(cwd);
    if (root === null && name !== undefined)
      throw new UsageError("--stack needs a Pulumi project, and there is none here; use --cwd");
    const report = new Report();
    report.add(check("ok", "node", process.versions.node));
    const stack = await checkProject(root, name, report);
    for (const account of stack?.accounts ?? []) await checkAccount(account, root === null, report);
    return report.hasFailed ? 1 : 0;
  },
};

/** Prints each check as soon as its result is known. */
class Report {
  hasFailed = false;

  add(...checks: readonly Check[]): void {
    for (const one of checks) {
      process.stdout.write(renderCheck(one));
      this.hasFailed ||= one.status === "failed";
    }
  }

  /** Prints a heading above the checks of a `Provider`. */
  startProvider(name: string, account: string): void {
    process.stdout.write(`\n${printable(`Provider ${name}, account ${account}`)}\n`);
  }

  /** Runs a step that later checks depend on, and reports its failure. @returns Its result; `null` if it failed. */
  async attempt<Result>(
    name: string,
    act: () => Result | Promise<Result>,
    context: MessageContext = { explicit: false },
  ): Promise<Result | null> {
    try {
      return await act();
    } catch (error) {
      const detail = error instanceof CommandError ? error.message : renderError(error, context);
      this.add(check("failed", name, detail));
      return null;
    }
  }
}

/** Outside a project, settings come only from the environment. */
const NO_STACK: Stack = {
  ...readState({}, { get: () => undefined }),
  name: "",
  hasPlainToken: false,
  unknownSettings: [],
};

/** Checks the CLI, the plugin and the stack. @returns The stack; `null` if there is a project but its stack cannot be read. */
async function checkProject(
  root: string | null,
  stackName: string | undefined,
  report: Report,
): Promise<Stack | null> {
  const cli = await report.attempt("pulumi-cli", findCli);
  if (cli !== null) report.add(check("ok", "pulumi-cli", cli.version?.version ?? "unknown version"));
  if (root === null) {
    const detail = "There is no Pulumi project here, so only environment variables are used.";
    const remedy = "To check a stack, run the doctor in its project, or use --cwd.";
    report.add(check("ok", "stack", detail, remedy));
    return NO_STACK;
  }
  if (cli === null) return null;
  return report.attempt("stack", async () => {
    const project = await openProject(root, cli);
    if (project.needsPackage) report.add(checkPlugin(project.programFolder));
    const stack = await readStack(project, stackName);
    const names = stack.accounts.map(({ name }) => name);
    report.add(
      check("ok", "stack", `${stack.name}, account${names.length > 1 ? "s" : ""} ${names.join(", ")}.`),
    );
    report.add(...checkState(stack));
    return stack;
  });
}

function checkState({ interruptedKeys, unknownSettings, hasPlainToken }: Stack): Check[] {
  const checks = unknownSettings.map((name) =>
    check("warning", "settings", renderNotice({ kind: "unknownSetting", name }, { explicit: false })),
  );
  if (hasPlainToken)
    checks.push(
      check(
        "warning",
        "settings",
        "The access token is stored in plain text.",
        "pulumi config set --secret partners:accessToken",
        "Then ask the service for a new token.",
      ),
    );
  if (interruptedKeys.length > 0)
    checks.push(
      check(
        "warning",
        "interrupted",
        `A run was interrupted while it changed ${interruptedKeys.join(", ")}. A key may have been created that no stack tracks.`,
        'If the service has a key from that run that is no stack\'s "apiKey" or "previousApiKey", delete it. Then run "pulumi up", and:',
        "pulumi refresh --clear-pending-creates --yes",
      ),
    );
  return checks;
}

/** Checks one account with one request. @param environmentOnly Whether there is no stack configuration. */
async function checkAccount(
  { name, provider, config, declared }: Account,
  environmentOnly: boolean,
  report: Report,
): Promise<void> {
  if (provider !== null) report.startProvider(provider, name);
  const context =
    provider === null ? { explicit: false, environmentOnly } : { explicit: true, account: name };
  const settings = await report.attempt("settings", () => readSettings(config, process.env), context);
  if (settings === null) return;
  const { origin, prefix } = settings.baseUrl;
  report.add(check("ok", "settings", `The service is ${origin}${prefix}.${describeVariables(config)}`));
  const checks = await report.attempt("service", () => checkService(settings, declared, context), context);
  report.add(...(checks ?? []));
}

/** Lists the settings that come from the environment, without their values: some are secret. */
function describeVariables(config: ConfigSource): string {
  const names = SETTING_NAMES.filter(
    (name) => findSetting(name, config, process.env)?.from === "environment",
  );
  return names.length === 0 ? "" : ` From the environment: ${names.map(variableOf).join(", ")}.`;
}
