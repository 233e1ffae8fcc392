import { once } from "node:events";
import { startSandbox, type Sandbox, type WebhookSeed } from "../sandbox/sandbox.js";
import { CommandError, HELP_OPTION, parseOptions, UsageError, type Command } from "./command.js";
import { quoteForShell } from "./shell.js";

const HELP = `Usage: pulumi-partners sandbox [options]

Starts a Partner API on 127.0.0.1 that holds its data in memory, and prints the settings for it.

Options:
  --port <number>          port to listen on (default: any free one)
  --access-token <token>   token to accept (default: a random one)
  --webhooks <list>        webhooks that exist, such as 101:active,102:disabled
  -h, --help               this text
`;

/** `pulumi-partners sandbox`: runs a sandbox until SIGINT or SIGTERM. */
export const sandboxCommand: Command = {
  summary: "start a Partner API on this machine, to try things out",
  run: async (args) => {
    const values = parseOptions(args, {
      port: { type: "string", default: "0" },
      "access-token": { type: "string" },
      webhooks: { type: "string" },
      help: HELP_OPTION,
    });
    if (values.help) {
      process.stdout.write(HELP);
      return 0;
    }
    const accessToken = values["access-token"];
    const sandbox = await startSandbox({
      port: parseNumber("--port", values.port, 65_535),
      ...(accessToken === undefined ? {} : { accessToken: parseToken(accessToken) }),
      ...(values.webhooks === undefined ? {} : { webhooks: parseWebhooks(values.webhooks) }),
    }).catch((error: unknown) => {
      throw error instanceof Error ? new CommandError(error.message) : error;
    });
    const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    process.stdout.write(announcement(sandbox));
    await stopped;
    await sandbox.close();
    return 0;
  },
};

function announcement(sandbox: Sandbox): string {
  const webhooks = [...sandbox.webhooks].map(([webhookId, state]) => `  ${webhookId}  ${state}`);
  return `${[
    "A Partner API is running. Copy this into the shell that runs Pulumi:",
    "",
    `export PARTNERS_BASE_URL=${sandbox.url}`,
    `export PARTNERS_ACCESS_TOKEN=${quoteForShell(sandbox.accessToken)}`,
    "",
    "Webhooks:",
    ...(webhooks.length > 0 ? webhooks : ["  none"]),
    "",
    "Ctrl-C stops it.",
  ].join("\n")}\n`;
}

function parseNumber(option: string, text: string, maximum: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value <= maximum) return value;
  throw new UsageError(`${option} must be a whole number from 0 to ${maximum}, not "${text}".`);
}

function parseToken(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text; // Anything else cannot be sent in a header.
  throw new UsageError("--access-token must be visible ASCII characters without spaces.");
}

function parseWebhooks(text: string): WebhookSeed[] {
  const items = text.split(",").filter(Boolean);
  return items.map((item) => {
    const [, id, state] = /^([1-9]\d*):(active|disabled)$/.exec(item) ?? [];
    const webhookId = Number(id);
    const known = state === "active" || state === "disabled";
    if (known && Number.isSafeInteger(webhookId)) return { webhookId, state };
    throw new UsageError(`--webhooks must be like 101:active,102:disabled; "${item}" is not.`);
  });
}
