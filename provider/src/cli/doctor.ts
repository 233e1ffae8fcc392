import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify, styleText } from "node:util";

import { AccountSession } from "../account/account-session.js";
import { configurationWarnings, quoteForShell } from "../setting-messages.js";
import { NAMESPACE, SETTING_NAMES } from "../setting-names.js";
import type { SettingsReader } from "../account/settings.js";
import { PartnerError } from "../partner-api/errors.js";
import { API_ROOT, OPERATIONS } from "../partner-api/operations.js";
import { readWebhookList, type WebhookListReading } from "../webhooks/webhook-list-reader.js";
import { notListed, stateUnknown, unreadableList } from "../webhooks/webhook-messages.js";
import { stateFieldsOf } from "../webhooks/webhook-state-field-reader.js";

const HELP = `Usage: pulumi-partners doctor [options]

Checks the settings, the address, the access token and the webhook list, and says how to fix what fails.
Sends one GET and changes nothing. Never prints a secret.

Options:
  --stack <name>   stack whose configuration to check (default: the selected stack)
  --cwd <folder>   project folder (default: the current folder)
  -h, --help       show this text

The exit code is 1 if a check failed.
`;

/** `pulumi-partners doctor`: checks everything between this machine and the service. */
export const doctorCommand = {
  help: HELP,
  options: ["stack", "cwd"],
  run: async (options: { stack?: string; cwd?: string }): Promise<number> => {
    const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const project = findProject(resolve(options.cwd ?? "."));
    if (project === null && options.stack !== undefined)
      throw new Error("--stack needs a Pulumi project: use --cwd with its folder.");
    const config = project === null ? {} : await readConfig(flags);
    const session = new AccountSession({
      notify: () => undefined,
      log: (line) => void process.stderr.write(`${session.secrets.mask(line)}\n`),
    });
    session.configure({ get: (key) => config[key]?.value });
    let exitCode = 0;
    const report: Report = (status, check, finding, table = []) => {
      const colored = styleText(COLORS[status], status.padEnd(9));
      const text = session.secrets.mask(finding.replaceAll(SET, () => withFlags(SET, flags)));
      const rows = table.map((row) => `${" ".repeat(9)}${row}\n`).join("");
      process.stdout.write(`${colored}${check.padEnd(12)}${text}\n${rows}`);
      if (status === "failed") exitCode = 1;
    };
    const isEncrypted = (key: string): boolean => config[key]?.secret === true;
    for (const text of configurationWarnings(project ?? "", Object.keys(config), isEncrypted))
      report("warning", "settings", text);
    await checkService(session, report);
    return exitCode;
  },
};

const COLORS = { ok: "green", warning: "yellow", failed: "red" } as const;

/** The command in findings. With the flags of the doctor, it changes the stack that was checked. */
const SET = "pulumi config set";

/** Prints the result of a check, without secrets, and below it the rows of a table. */
type Report = (status: keyof typeof COLORS, check: string, finding: string, table?: string[]) => void;

/** What `pulumi config --json` prints. A secret has no value there. */
type Config = Record<string, { value?: string; readonly secret?: boolean }>;

/** Returns the name of the project that a folder belongs to; `null` if there is none. */
function findProject(folder: string): string | null {
  const file = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"]
    .map((name) => join(folder, name))
    .find((path) => existsSync(path));
  if (file !== undefined) return /^name: *["']?([\w.-]+)/m.exec(readFileSync(file, "utf8"))?.[1] ?? "";
  return dirname(folder) === folder ? null : findProject(dirname(folder));
}

/** Returns a command of Pulumi with flags, quoted for a shell. */
function withFlags(command: string, flags: readonly string[], platform = process.platform): string {
  return [command, ...flags.map((flag) => quoteForShell(flag, platform))].join(" ");
}

/** Reads the stack configuration. Decrypts only the settings of this provider. */
async function readConfig(flags: readonly string[]): Promise<Config> {
  const pulumi = async (...args: string[]): Promise<string> => {
    const all = ["config", ...args, "--non-interactive", ...flags];
    return (await promisify(execFile)("pulumi", all, { maxBuffer: Infinity })).stdout;
  };
  try {
    const config = JSON.parse(await pulumi("--json")) as Config;
    for (const name of SETTING_NAMES) {
      const entry = config[NAMESPACE + name];
      if (entry?.secret === true) entry.value = (await pulumi("get", NAMESPACE + name)).replace(/\r?\n$/, "");
    }
    return config;
  } catch {
    // The caught error may quote the URL of a backend, which may contain a password.
    throw new Error(unreadableConfig(flags, process.platform));
  }
}

/** @param flags The flags of the doctor that name the stack and the folder. */
export function unreadableConfig(flags: readonly string[], platform: NodeJS.Platform): string {
  const nowhere = platform === "win32" ? "$null" : "/dev/null";
  return (
    "The stack configuration cannot be read. " +
    `If there is no stack yet, run "${withFlags("pulumi stack init", flags, platform)}". ` +
    `Otherwise, to see why, run "${withFlags("pulumi config --show-secrets", flags, platform)} > ${nowhere}".`
  );
}

/** Checks the settings of the default account, and the list that it gets with them. */
async function checkService(session: AccountSession, report: Report): Promise<void> {
  const { settings } = session;
  let check = "settings";
  try {
    const { servers, responses } = session.readSettings();
    const set = SETTING_NAMES.filter((name) => settings.originOf(name) !== null).map(settings.settingName);
    report("ok", check, `${set.join(", ")}.`);
    check = "service";
    const client = await session.open();
    const { text, headers } = await client.listWebhooks().finally(() => client.close());
    const { method, template } = OPERATIONS.listWebhooks;
    report("ok", check, `${method} ${servers[0]}${API_ROOT}${template}: the access token is accepted.`);
    check = "list";
    const list = readWebhookList(text, headers, responses);
    if (!list.isReadable) throw unreadableList(list, settings);
    reportList(list, settings, report);
    reportStates(list, session, report);
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error;
    report("failed", check, `${error.message} [${error.code}]`);
  }
}

/** Reports where the list and the webhooks in it were recognized, and whether the list is complete. */
function reportList(list: WebhookListReading, settings: SettingsReader, report: Report): void {
  const webhooks = [...list.webhooks.values()];
  const found = {
    webhooks: list.pointer,
    webhookId: webhooks[0]?.idPointer,
    webhookState: webhooks.find(({ state }) => state !== null)?.statePointer,
  };
  const where = Object.entries(found)
    .filter(([, pointer]) => typeof pointer === "string")
    .map(([name, pointer]) => `${name} at ${JSON.stringify(pointer)}`)
    .join(", ");
  report("ok", "list", `Found ${where}.`);
  if (list.incompleteSign !== null) report("warning", "list", notListed(list.incompleteSign, settings).text);
}

/** Reports all webhooks with their states. */
function reportStates({ webhooks }: WebhookListReading, session: AccountSession, report: Report): void {
  const all = [...webhooks.values()].sort((one, other) => one.webhookId - other.webhookId);
  const table = all.map(({ webhookId, state }) => `${webhookId}  ${state ?? "unknown"}`);
  const unknown = all.filter(({ state }) => state === null).map(({ webhookId }) => webhookId);
  if (unknown.length === 0) report("ok", "webhooks", `${all.length} listed.`, table);
  else {
    const records = all.map(({ record }) => record);
    const fields = stateFieldsOf(records, session.readSettings().responses);
    // What no setting can mend is no failure.
    const status = fields.length > 0 ? "failed" : "warning";
    report(status, "webhooks", stateUnknown(unknown, fields, session.settings).text, table);
  }
}
