import { existsSync } from "node:fs";
import { styleText } from "node:util";

import { RequestError } from "../api/errors.js";
import { API_ROOT, OPERATIONS } from "../api/operations.js";
import { isAccepted } from "../keys/api-key.js";
import { PluginProcess } from "../shared/plugin-process.js";
import { knownAs } from "../webhook-search.js";
import type { WebhookList } from "../webhooks/list-pages.js";
import { shownWebhook } from "../webhooks/shown-webhook.js";
import { renderError } from "../messages/error-messages.js";
import { oddRecordsText, renderNotice } from "../messages/notice-messages.js";
import {
  PARAMETER,
  proposePageSettings,
  refusalWords,
  unreadPagesReason,
} from "../messages/reading-messages.js";
import { quoteForShell, settingName } from "../messages/wording.js";
import type { ResponseMapping } from "../responses/mapping.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { isScalar, nodesOf, pointersOf } from "../json.js";
import { GONE_KEYS, unknownSettingText } from "../setting-names.js";
import { parseOptions, printable, UsageError, type Command } from "./command.js";
import { isInProject, parseStack, readStack, type Account, type Stack } from "./stack-state.js";

const HELP = `Usage: pulumi-partners doctor [options]

Checks the address, the access token, the webhook list and the state of a stack, and says how to fix what
fails. Reads the list of each account and changes nothing. Never prints an access token or a key.

Options:
  --stack <name>   stack to check (default: the selected stack)
  --cwd <folder>   project folder (default: the current folder)
  -h, --help       show this text

Exit codes:
  0  nothing failed (there may be warnings)
  1  a check failed
  2  the command line is wrong; nothing was done
`;

export const doctorCommand: Command = {
  help: HELP,
  run: async (args) => {
    const { stack: name, cwd = "." } = parseOptions(args, ["stack", "cwd"]);
    // An empty variable of a shell must not mean the selected stack.
    if (name === "") throw new UsageError("--stack must be the name of a stack");
    if (!existsSync(cwd)) throw new UsageError("--cwd must be a folder that exists");
    const hasProject = isInProject(cwd);
    if (!hasProject && name !== undefined)
      throw new UsageError("--stack needs a Pulumi project, and there is none here; use --cwd");
    let exitCode = 0;
    const report: Report = (status, name, detail, ...lines) => {
      const result = `${styleText(COLORS[status], status.padEnd(9))}${name.padEnd(12)}${printable(detail)}\n`;
      const below = lines.map((line) => `${" ".repeat(9)}${printable(line)}\n`);
      process.stdout.write(result + below.join(""));
      if (status === "failed") exitCode = 1;
    };
    const stack = hasProject ? await readStack(cwd, name) : parseStack();
    if (hasProject) reportStack(stack, report);
    else report("ok", "stack", "There is no Pulumi project here, so only environment variables are used.");
    for (const account of stack.accounts) {
      const { provider, name } = account;
      if (provider !== null)
        process.stdout.write(`\n${printable(`Provider ${provider}, account ${name}`)}\n`);
      await checkAccount(account, hasProject, report);
    }
    return exitCode;
  },
};

const COLORS = { ok: "green", warning: "yellow", failed: "red" } as const;

/**
 * Prints the result of a check: the finding in sentences, without secrets, and below it what to do, or table
 * rows.
 */
type Report = (status: keyof typeof COLORS, name: string, detail: string, ...lines: string[]) => void;

const PLAIN_SECRETS = {
  accessToken: ["token", "The access token is", "Then ask the service for a new token."],
  headers: ["headers", "The headers are", "Then replace their values at the gateway."],
} as const;

function reportStack(
  { name, accounts, plainSecrets, interruptedKeys, lostCreations }: Stack,
  report: Report,
): void {
  const names = accounts.map((account) => account.name);
  report("ok", "stack", `${name}, account${names.length > 1 ? "s" : ""} ${names.join(", ")}.`);
  for (const setting of plainSecrets) {
    const [check, what, next] = PLAIN_SECRETS[setting];
    const command = `pulumi config set --secret partners:${setting}`;
    report("warning", check, `${what} stored in plain text.`, command, next);
  }
  const killed = interruptedKeys.join(", ");
  const lost = lostCreations.map(({ resource, at }) => `${resource} at ${at}`);
  if (lostCreations.length > 0)
    report(
      "failed",
      "lost",
      `A key may have been created that is in no stack, for ${lost.join(", ")}.`,
      "If the service has a key from about that time that none of your stacks has (compare their outputs",
      "hint and createdAt), delete only that one. Then run:",
      `${GONE_KEYS}=${lostCreations.map(({ at }) => at).join()} pulumi up`,
    );
  if (interruptedKeys.length > 0)
    report(
      "warning",
      "interrupted",
      `A run was killed while it changed ${killed}, so a key may exist that is in no stack.`,
      "If the service has a key from that run that none of your stacks has (compare their outputs hint and",
      "createdAt), delete only that one. Then run this, and after it the interrupted command again:",
      "pulumi refresh --clear-pending-creates --yes",
    );
}

/** Checks an account with one request, which needs the right address and token. */
async function checkAccount(account: Account, hasProject: boolean, report: Report): Promise<void> {
  const { name, provider, config, unknownSettings, declared } = account;
  for (const setting of unknownSettings) report("warning", "settings", unknownSettingText(setting));
  const plugin = new PluginProcess({
    warn: (notice) => {
      report("warning", "service", renderNotice(notice, context));
    },
    log: (line) => void process.stderr.write(`${line}\n`),
  });
  plugin.configure(config);
  const context =
    provider === null ? { origins: plugin.settingOrigins, hasNoProject: !hasProject } : { account: name };
  const reportAccepted = (): void => {
    const { method, template } = OPERATIONS.listWebhooks;
    const url = plugin.readSettings().servers[0] + API_ROOT + template;
    report("ok", "service", `${method} ${url} works: the access token is accepted.`);
  };
  const commandsFor: CommandsFor = (members) => {
    if (provider !== null) {
      const parts = Object.entries(members).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      return [`responses: { ${parts.join(", ")} }`];
    }
    if (hasProject && plugin.settingOrigins["responses"] !== "environment")
      return Object.entries(members).map(([name, value]) => {
        const path = `partners:responses.${name}${Array.isArray(value) ? "[0]" : ""}`;
        return `pulumi config set --path '${path}' ${quoteForShell(String(value))}`;
      });
    // The variable has all members, also those that are set already.
    const all = { ...plugin.readSettings().responses, ...members };
    return [`PARTNERS_RESPONSES=${quoteForShell(JSON.stringify(all))}`];
  };
  try {
    const { client } = await plugin.open();
    const list = await client.listWebhooks().finally(() => client.close());
    reportAccepted();
    checkShape(list, report, commandsFor);
    checkWebhooks(list, declared, report, (webhook) => knownAs(shownWebhook(plugin, webhook)) ?? "");
    const remedy = `The list can be read: remove ${settingName("readWebhooks", context)}.`;
    if (!plugin.readsWebhooks) report("warning", "settings", renderNotice(NOT_READ, context), remedy);
  } catch (error) {
    if (error instanceof RequestError && isAccepted(error) && !plugin.readsWebhooks) {
      report("warning", "service", renderNotice(NOT_READ, context));
      return;
    }
    const unread = needsUnreadList(error)
      ? [`If the service has no better list, set ${settingName("readWebhooks", context)} to false.`]
      : [];
    const cause = error instanceof RequestError ? error.failure.cause : null;
    if (cause?.kind !== "unreadableList" || ["not JSON", "not a number"].includes(cause.reading.reason)) {
      report("failed", "service", renderError(error, context), ...unread);
      return;
    }
    reportAccepted();
    const { setting, candidates } = cause.reading;
    const commands = candidates.flatMap((pointer) => commandsFor({ [setting]: pointer }));
    const intro = commands.length > 1 ? ["One of these is right:"] : [];
    const stars = candidates.some((pointer) => pointer.includes("*")) ? ["Replace * with the name."] : [];
    const detail = `The list is not recognized. Set responses.${setting} to a JSON Pointer.`;
    report("failed", "shape", detail, ...intro, ...commands, ...stars, ...unread);
  }
}

/** Returns what to type to set members of the setting `responses`, one or several lines. */
type CommandsFor = (members: ResponseMapping) => readonly string[];

const NOT_READ = { kind: "listNotRead" } as const;

/** Whether the list can only be left unread, because no other setting can make it readable. */
function needsUnreadList(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false;
  const { cause } = error.failure;
  if (cause.kind === "status") return [405, 501].includes(cause.status);
  if (cause.kind === "unreadableList")
    return cause.reading.candidates.length === 0 && cause.reading.reason !== "pointer";
  return cause.kind === "tooLarge" || cause.kind === "undecoded";
}

function checkShape(list: WebhookList, report: Report, commandsFor: CommandsFor): void {
  const { webhooks, odd, complete, pointers } = list;
  const found = Object.entries(pointers).map(([name, pointer]) => `${name} at ${JSON.stringify(pointer)}`);
  const where = webhooks.size === 0 ? "The list is empty." : `Found ${found.join(", ")}.`;
  if (odd.length > 0) report("warning", "shape", oddRecordsText(odd, {}));
  const [unknown, ...others] = [...webhooks.values()].filter(({ state }) => state === null);
  if (unknown !== undefined) {
    const count = `${others.length + 1} of ${webhooks.size} webhooks`;
    const names = unknown.missing === "active" ? "active and responses.disabled" : "webhookState";
    const drift = `The state of ${count} is unknown, so drift is not detected.`;
    const detail = `${where} ${drift} Set responses.${names}.`;
    const fields = pointersOf(
      nodesOf(unknown.record).filter(({ value }) => isScalar(value)),
      40,
    );
    const [members, what] =
      unknown.missing === "active"
        ? [
            { active: ["WORD"], disabled: ["OTHER_WORD"] },
            "WORD and OTHER_WORD with the values of the states",
          ]
        : [{ webhookState: "POINTER" }, "POINTER with the field of the state"];
    const shown = `Fields of a webhook: ${fields.join(", ")}`;
    report("failed", "shape", detail, shown, ...commandsFor(members), `Replace ${what}.`);
  } else if (complete) report("ok", "shape", where);
  else reportUnreadPages(where, list, report, commandsFor);
}

/** Says why the list may be incomplete, and what to type so that its other pages are read. */
function reportUnreadPages(
  where: string,
  { unread, doubt }: WebhookList,
  report: Report,
  commandsFor: CommandsFor,
): void {
  const isPart = doubt === "part";
  const why = unread === null ? "the list may have further pages" : unreadPagesReason(unread);
  const reason = isPart ? "the response may have further webhooks outside the list" : why;
  const proposals = isPart ? [{ complete: true }] : proposePageSettings(unread);
  const [first = {}, second] = proposals;
  const lines = proposals.flatMap((members) => {
    const isOther = members !== first && first.complete === true;
    const intro = members.complete === true ? "If the list is complete:" : isOther && "If not:";
    return [...(intro === false ? [] : [intro]), ...commandsFor(members)];
  });
  if (second !== undefined && first.complete !== true) lines.unshift("One of these is right:");
  const parameter = proposals.find(({ pageParameter }) => pageParameter !== undefined);
  if (parameter !== undefined) {
    const what = parameter.nextPage === undefined ? "the number of a page" : "this value";
    lines.push(`Replace ${PARAMETER} with the query parameter that takes ${what}.`);
  }
  const detail = `${where} Webhooks missing from the list cannot be managed: ${reason}.`;
  report("warning", "shape", detail + refusalWords(unread), ...lines);
}

/**
 * Checks that the declared webhooks exist. For whoever takes over a stack: no other command shows which
 * webhook belongs to which resource. Lists every webhook with its ID, its state, and the resources that
 * declare it.
 *
 * @param labelOf Returns what people know a webhook by; empty if the service does not show it.
 */
function checkWebhooks(
  list: WebhookList,
  declared: Account["declared"],
  report: Report,
  labelOf: (webhook: WebhookReading) => string,
): void {
  const { webhooks, complete } = list;
  const ids = [...new Set([...webhooks.keys(), ...declared.keys()])].sort((a, b) => a - b);
  const width = String(ids.at(-1)).length;
  const rows = ids.map((webhookId) => {
    const webhook = webhooks.get(webhookId);
    const state = webhook === undefined ? "missing" : (webhook.state ?? "unknown");
    const declarers = declared.get(webhookId)?.join(", ") ?? "not declared";
    return { webhookId, state, declarers, label: webhook === undefined ? "" : labelOf(webhook) };
  });
  const declarersWidth = Math.max(0, ...rows.map(({ declarers }) => declarers.length));
  const table = rows.map(({ webhookId, state, declarers, label }) =>
    [
      String(webhookId).padEnd(width),
      state.padEnd("disabled".length),
      declarers.padEnd(declarersWidth),
      label,
    ]
      .join("  ")
      .trimEnd(),
  );
  const count = `${webhooks.size} on the server, ${declared.size} declared in this stack`;
  const missing = [...declared.keys()].filter((webhookId) => !webhooks.has(webhookId));
  const detail = `${count}; declared but not in the list: ${missing.join(", ")}.`;
  if (missing.length === 0) report("ok", "webhooks", `${count}.`, ...table);
  else report(complete ? "failed" : "warning", "webhooks", detail, ...table);
}
