import { statSync } from "node:fs";

import {
  accountName,
  findSetting,
  readSettings,
  variableOf,
  type ConfigSource,
  type Settings,
} from "../handlers/settings.js";
import { renderError } from "../hosts/messages.js";
import { SETTING_NAMES, type SettingName } from "../setting-names.js";
import { CommandError, parseOptions, UsageError, type Command } from "./command.js";
import { checkCliVersion, checkPlugin, checkSdk } from "./installation.js";
import { findCli, findProjectRoot, openProject, readStack, type Stack } from "./pulumi-project.js";
import { alignColumns, failed, ok, renderCheck, renderSection, warning, type Check } from "./report.js";
import { checkWebhooks, examineService, webhookTable } from "./service.js";

const HELP = `Usage: pulumi-partners doctor [options]

Checks everything between this machine and the service, and says what to do about the rest. Sends one GET
and changes nothing. Never prints the access token or a key.

Options:
  --stack <name>   stack to look at (default: the selected one)
  --cwd <folder>   folder of the project (default: the current one)
  -h, --help       show this text

Exit codes:
  0  nothing failed (there may be warnings)
  1  a check failed
  2  the command line is wrong; nothing was done
`;

/** `pulumi-partners doctor`: checks everything from this machine to the service. */
export const doctorCommand: Command = {
  summary: "check everything from this machine to the service",
  help: HELP,
  run: async (args) => {
    const options = { stack: { type: "string" }, cwd: { type: "string", default: "." } } as const;
    const { stack, cwd } = parseOptions(args, options);
    if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new UsageError("--cwd must be a folder that exists");
    const root = findProjectRoot(cwd);
    if (root === null && stack !== undefined)
      throw new UsageError("--stack needs a Pulumi project, and there is none here; use --cwd");
    const report = new Report();
    await examine(root, stack, report);
    report.finish();
    return report.hasFailed ? 1 : 0;
  },
};

/** Prints checks as they are made; everything else follows at the end. */
class Report {
  hasFailed = false;
  readonly #steps: string[][] = [];
  readonly #sections: string[] = [];

  add(...checks: readonly Check[]): void {
    for (const check of checks) {
      process.stdout.write(renderCheck(check));
      this.hasFailed ||= check.status === "failed";
      for (const [index, step] of check.remedies.entries())
        this.#steps.push([index === 0 ? check.name : "", step]);
    }
  }

  /** Does something that a check depends on. @returns `null` if that failed, which is then reported. */
  async attempt<Result>(name: string, act: () => Promise<Result>): Promise<Result | null> {
    try {
      return await act();
    } catch (error) {
      const known = error instanceof CommandError;
      this.add(failed(name, known ? error.message : renderError(error, { explicit: false })));
      return null;
    }
  }

  addSection(title: string, lines: readonly string[]): void {
    if (lines.length > 0) this.#sections.push(renderSection(title, lines));
  }

  finish(): void {
    const steps = this.#steps.length === 0 ? "" : renderSection("Next steps", alignColumns(this.#steps));
    process.stdout.write(steps + this.#sections.join(""));
  }
}

async function examine(root: string | null, stackName: string | undefined, report: Report): Promise<void> {
  report.add(ok("node", process.versions.node));
  const stack = await examineProject(root, stackName, report);
  if (stack === null) return; // What else is wrong depends on its configuration.
  const settings = examineSettings(stack, report);
  report.addSection("Settings", settingsTable(stack.config));
  if (settings === null) return;
  const { checks, list, structure } = await examineService(settings);
  report.add(...checks);
  report.addSection("Structure of what was not recognised", structure);
  if (list === null) return;
  report.add(checkWebhooks(list, stack.declared));
  report.addSection("Webhooks", webhookTable(list, stack.declared));
}

/** What counts outside of a project: nothing but the environment. */
const NO_STACK: Stack = {
  name: "",
  config: { get: () => undefined },
  isSecret: () => false,
  declared: new Map(),
  providers: [],
};

/** @returns `null` if there is a project whose stack cannot be read. */
async function examineProject(
  root: string | null,
  stackName: string | undefined,
  report: Report,
): Promise<Stack | null> {
  const cli = await report.attempt("pulumi-cli", findCli);
  if (cli !== null) report.add(checkCliVersion(cli.version?.version ?? null));
  if (root === null) {
    report.add(ok("stack", "There is no Pulumi project here, so only the environment counts."));
    return NO_STACK;
  }
  if (cli === null) return null;
  return report.attempt("stack", async () => {
    const project = await openProject(root, cli);
    if (project.usesNode) report.add(checkSdk(project.programFolder), checkPlugin(project.programFolder));
    const stack = await readStack(project, stackName);
    report.add(ok("stack", describeStack(stack)));
    return stack;
  });
}

function describeStack({ name, config, providers }: Stack): string {
  const rest =
    providers.length === 0 ? "" : ` Accounts of Provider resources are not checked: ${providers.join(", ")}.`;
  return `${name}, account ${accountName(config)}.${rest}`;
}

function examineSettings({ config, isSecret }: Stack, report: Report): Settings | null {
  let settings: Settings;
  try {
    settings = readSettings(config, process.env);
  } catch (error) {
    report.add(failed("settings", renderError(error, { explicit: false })));
    return null;
  }
  const { origin, prefix } = settings.baseUrl;
  const fromStack = findSetting("accessToken", config, process.env)?.from === "configuration";
  report.add(
    fromStack && !isSecret("partners:accessToken")
      ? warning(
          "settings",
          `The service is ${origin}${prefix}. The access token is stored in plain text.`,
          "pulumi config set --secret partners:accessToken",
          "Then have the service replace the token.",
        )
      : ok("settings", `The service is ${origin}${prefix}.`),
  );
  return settings;
}

const REQUIRED: readonly SettingName[] = ["baseUrl", "accessToken"];

/** Where each setting comes from; no values, as some are secret. */
function settingsTable(config: ConfigSource): string[] {
  const rows = SETTING_NAMES.map((name) => {
    const from = findSetting(name, config, process.env)?.from;
    if (from === "configuration") return [name, "stack configuration"];
    if (from === "environment") return [name, `environment (${variableOf(name)})`];
    return [name, REQUIRED.includes(name) ? "missing" : "default"];
  });
  return alignColumns([["NAME", "FROM"], ...rows]);
}
