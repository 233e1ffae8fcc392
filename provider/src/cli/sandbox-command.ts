import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

import { API_ROOT, isVisibleAscii, isWebhookId, OPERATIONS, type WebhookState } from "../api/operations.js";
import { quoteForShell } from "../hosts/messages.js";
import { json, type Answer } from "../sandbox/partner-account.js";
import { runSandbox, type LoggedRequest, type OperationCall, type Sandbox } from "../sandbox/sandbox.js";
import { CommandError, parseOptions, UsageError, type Command } from "./command.js";
import { printable } from "./report.js";

const HELP = `Usage: pulumi-partners sandbox [options]

Starts a Partner API on 127.0.0.1 that keeps its data in memory. Prints the settings to use, and then one
line per request.

Options:
  --port <number>          port to listen on (default: any free port)
  --access-token <token>   token to accept (default: a random token)
  --webhooks <list>        existing webhooks, such as 101:active,102:disabled
  --delay <ms>             milliseconds to wait before each response, at most 600000
  --fail <status>          refuse every request with this status, such as 401, 429 or 503
  -h, --help               show this text
`;

/** `pulumi-partners sandbox`: runs a sandbox until SIGINT, SIGTERM or SIGHUP. */
export const sandboxCommand: Command = {
  help: HELP,
  run: async (args) => {
    const values = parseOptions(args, ["port", "access-token", "webhooks", "delay", "fail"]);
    const accessToken = values["access-token"];
    const options = {
      port: parseNumber("--port", values.port ?? "0", 0, 65_535),
      ...(accessToken !== undefined && { accessToken: parseToken(accessToken) }),
      ...(values.webhooks !== undefined && { webhooks: parseWebhooks(values.webhooks) }),
    };
    const delay = parseNumber("--delay", values.delay ?? "0", 0, 600_000);
    const refusal = values.fail === undefined ? null : refuse(parseNumber("--fail", values.fail, 400, 599));
    const intercept = async (call: OperationCall): Promise<Answer> => {
      const answer = refusal ?? call.perform();
      await sleep(delay, null, { ref: false });
      return answer;
    };
    const stopped = Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));
    const sandbox = await runSandbox({ ...options, onRequest: printRequest }, { intercept }).catch(
      (error: unknown) => {
        throw error instanceof Error ? new CommandError(error.message) : error;
      },
    );
    process.stdout.write(announcement(sandbox));
    await stopped;
    await sandbox.close();
    return 0;
  },
};

function refuse(status: number): Answer {
  return json(status, { error: `refused by --fail ${status}` });
}

function announcement(sandbox: Sandbox): string {
  const webhooks = [...sandbox.webhooks].map(([webhookId, state]) => `  ${webhookId}  ${state}`);
  return `${[
    "The sandbox is running. Copy this into the shell that runs Pulumi:",
    "",
    `export PARTNERS_BASE_URL=${sandbox.url}`,
    `export PARTNERS_ACCESS_TOKEN=${quoteForShell(sandbox.accessToken)}`,
    "",
    "Webhooks:",
    ...(webhooks.length > 0 ? webhooks : ["  none"]),
    "",
    "Press Ctrl-C to stop it. Requests:",
  ].join("\n")}\n`;
}

/** Prints the request with the ID of a webhook, but without the key that the path of a deletion contains. */
function printRequest({ operation, method, path, status }: LoggedRequest): void {
  const [pathname = ""] = path.slice(API_ROOT.length).split("?", 1);
  const known = operation === "deleteApiKey" ? OPERATIONS[operation].template : pathname;
  const shown = operation === null ? "(not a path of the Partner API)" : known;
  process.stdout.write(`${printable(`${method} ${shown}`)} ${status ?? "(no response)"}\n`);
}

function parseNumber(option: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`${option} must be a whole number from ${min} to ${max}`);
}

function parseToken(text: string): string {
  if (isVisibleAscii(text)) return text; // The client refuses to send anything else.
  throw new UsageError("--access-token must be visible ASCII characters without spaces");
}

function parseWebhooks(text: string): { webhookId: number; state: WebhookState }[] {
  return text.split(",").map((item) => {
    const [, id, state] = /^(\d+):(active|disabled)$/.exec(item) ?? [];
    if (id === undefined || !isWebhookId(id))
      throw new UsageError("--webhooks must be like 101:active,102:disabled");
    return { webhookId: Number(id), state: state === "active" ? "active" : "disabled" };
  });
}
