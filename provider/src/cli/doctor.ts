import { existsSync } from "node:fs";
import { styleText } from "node:util";

import { RequestError, type UnreadableWebhookList } from "../api/errors.js";
import { API_ROOT, OPERATIONS } from "../api/operations.js";
import { PluginProcess } from "../handlers/process.js";
import type { WebhookList } from "../handlers/webhook-registry.js";
import { renderError } from "../hosts/error-messages.js";
import { renderNotice } from "../hosts/notice-messages.js";
import { quoteForShell, type MessageContext } from "../hosts/wording.js";
import { isScalar, nodesOf, pointersOf } from "../json.js";
import { parseOptions, printable, UsageError, type Command } from "./command.js";
import { isInProject, parseStack, readStack, type Account, type Stack } from "./stack-state.js";

const HELP = `Usage: pulumi-partners doctor [options]

Checks the address, the access token, the webhook list and the state of a stack, and says how to fix what
fails. Sends one GET for each account and changes nothing. Never prints an access token or a key.

Options:
  --stack <name>   stack to check (default: the selected stack)
  --cwd <folder>   project folder (default: the current folder)
  -h, --help       show this text

Exit codes:
  0  nothing failed (there may be warnings)
  1  a check failed
  2  the command line is wrong; nothing was done
`;

/** `pulumi-partners doctor`: checks a stack and its accounts. */
export const doctorCommand: Command = {
  help: HELP,
  run: async (args) => {
    const { stack: name, cwd = "." } = parseOptions(args, ["stack", "cwd"]);
    if (!existsSync(cwd)) throw new UsageError("--cwd must be a folder that exists");
    const hasProject = isInProject(cwd);
    if (!hasProject && name !== undefined)
      throw new UsageError("--stack needs a Pulumi project, and there is none here; use --cwd");
    const stack = hasProject ? await readStack(cwd, name) : null;
    let exitCode = 0;
    const print = (checks: readonly Check[]): void => {
      process.stdout.write(checks.map(renderCheck).join(""));
      if (checks.some(({ status }) => status === "failed")) exitCode = 1;
    };
    print(checkStack(stack));
    for (const account of (stack ?? parseStack()).accounts) {
      const { provider, name } = account;
      if (provider !== null)
        process.stdout.write(`\n${printable(`Provider ${provider}, account ${name}`)}\n`);
      print(await checkAccount(account, !hasProject));
    }
    return exitCode;
  },
};

const COLORS = { ok: "green", warning: "yellow", failed: "red" } as const;

/** The result of a check. */
interface Check {
  readonly status: keyof typeof COLORS;
  readonly name: string;
  /** The finding, in sentences. Never contains a secret. */
  readonly detail: string;
  /** The lines below it: what to do, commands to run, and table rows. */
  readonly lines: readonly string[];
}

function check(status: Check["status"], name: string, detail: string, ...lines: string[]): Check {
  return { status, name, detail, lines };
}

/** Renders a check, in color if stdout supports it. */
function renderCheck({ status, name, detail, lines }: Check): string {
  const below = lines.map((line) => `${" ".repeat(9)}${printable(line)}\n`);
  return `${styleText(COLORS[status], status.padEnd(9))}${name.padEnd(12)}${printable(detail)}\n${below.join("")}`;
}

function checkStack(stack: Stack | null): Check[] {
  if (stack === null)
    return [check("ok", "stack", "There is no Pulumi project here, so only environment variables are used.")];
  const names = stack.accounts.map(({ name }) => name);
  const checks = [
    check("ok", "stack", `${stack.name}, account${names.length > 1 ? "s" : ""} ${names.join(", ")}.`),
  ];
  if (stack.hasPlainToken)
    checks.push(
      check(
        "warning",
        "token",
        "The access token is stored in plain text.",
        "pulumi config set --secret partners:accessToken",
        "Then ask the service for a new token.",
      ),
    );
  if (stack.interruptedKeys.length > 0)
    checks.push(
      check(
        "warning",
        "interrupted",
        `A run was interrupted while it changed ${stack.interruptedKeys.join(", ")}. A key may have been created that no stack tracks.`,
        'If the service has a key from that run that is no stack\'s "apiKey" or "previousApiKey", delete it. Then run "pulumi up", and:',
        "pulumi refresh --clear-pending-creates --yes",
      ),
    );
  return checks;
}

/**
 * Checks an account with one request, which needs the right address and token.
 *
 * @param environmentOnly Whether there is no stack configuration.
 */
async function checkAccount(
  { name, provider, config, declared }: Account,
  environmentOnly: boolean,
): Promise<Check[]> {
  const context =
    provider === null ? { explicit: false, environmentOnly } : { explicit: true, account: name };
  const checks: Check[] = [];
  const plugin = new PluginProcess({
    warn: (notice) => checks.push(check("warning", "service", renderNotice(notice, context))),
    log: (line) => void process.stderr.write(`${line}\n`),
  });
  plugin.configure(config);
  try {
    const { client } = await plugin.open();
    const list = await client.listWebhooks().finally(() => client.close());
    checks.push(accepted(plugin), checkShape(list), checkWebhooks(list, declared));
  } catch (error) {
    const cause = error instanceof RequestError ? error.failure.cause : null;
    if (cause?.kind !== "unreadableList" || cause.reading.reason === "not JSON")
      return [...checks, check("failed", "service", renderError(error, context))];
    checks.push(accepted(plugin), unrecognized(cause.reading, context));
  }
  return checks;
}

function accepted(plugin: PluginProcess): Check {
  const { method, template } = OPERATIONS.listWebhooks;
  const url = plugin.readSettings().servers[0] + API_ROOT + template;
  return check("ok", "service", `${method} ${url} works: the access token is accepted.`);
}

function unrecognized({ setting, candidates }: UnreadableWebhookList, context: AccountContext): Check {
  const commands = candidates.map((pointer) => mappingCommand(setting, pointer, context));
  const intro = commands.length > 1 ? ["One of these is right:"] : [];
  const detail = `The list is not recognized. Set responses.${setting}.`;
  return check("failed", "shape", detail, ...intro, ...commands);
}

/** Where the settings of an account come from. */
interface AccountContext extends MessageContext {
  readonly environmentOnly?: boolean;
}

/** Returns the command, or the `Provider` argument, that sets a member of `responses`. */
function mappingCommand(member: string, value: string, context: AccountContext): string {
  if (context.explicit) return `responses: { ${member}: ${JSON.stringify(value)} }`;
  if (context.environmentOnly)
    return `PARTNERS_RESPONSES=${quoteForShell(JSON.stringify({ [member]: value }))}`;
  return `pulumi config set --path 'partners:responses.${member}' ${quoteForShell(value)}`;
}

function checkShape({ webhooks, complete, pointers }: WebhookList): Check {
  const found = Object.entries(pointers).map(([name, pointer]) => `${name} at ${JSON.stringify(pointer)}`);
  const where = webhooks.size === 0 ? "The list is empty." : `Found ${found.join(", ")}.`;
  const [unknown, ...others] = [...webhooks.values()].filter(({ state }) => state === null);
  if (unknown !== undefined) {
    const count = `${others.length + 1} of ${webhooks.size} webhooks`;
    const names = unknown.missing === "active" ? "active and responses.disabled" : "webhookState";
    const detail = `${where} The state of ${count} is unknown, so drift is not detected. Set responses.${names}.`;
    const fields = pointersOf(nodesOf(unknown.record).filter(({ value }) => isScalar(value)));
    return check("warning", "shape", detail, `Fields of a webhook: ${fields.join(", ")}`);
  }
  if (!complete)
    return check(
      "warning",
      "shape",
      `${where} The list may be incomplete: webhooks missing from it cannot be managed.`,
      "If the list is complete, set responses.complete to true.",
    );
  return check("ok", "shape", where);
}

/** Checks that the declared webhooks exist. Lists every webhook with its ID, its state, and the resources that declare it. */
function checkWebhooks({ webhooks, complete }: WebhookList, declared: Account["declared"]): Check {
  const ids = [...new Set([...webhooks.keys(), ...declared.keys()])].sort((a, b) => a - b);
  const width = String(ids.at(-1)).length;
  const table = ids.map((webhookId) => {
    const webhook = webhooks.get(webhookId);
    const state = webhook === undefined ? "missing" : (webhook.state ?? "unknown");
    const declarers = declared.get(webhookId)?.join(", ") ?? "-";
    return `${String(webhookId).padEnd(width)}  ${state.padEnd("disabled".length)}  ${declarers}`;
  });
  const count = `${webhooks.size} on the server, ${declared.size} declared in this stack`;
  const missing = [...declared.keys()].filter((webhookId) => !webhooks.has(webhookId));
  if (missing.length === 0) return check("ok", "webhooks", `${count}.`, ...table);
  const detail = `${count}; declared but not in the list: ${missing.join(", ")}.`;
  return check(complete ? "failed" : "warning", "webhooks", detail, ...table);
}
