import { execFileSync } from "node:child_process";
import { once } from "node:events";

import { OPERATIONS, type WebhookState } from "../api/operations.js";
import { quoteForShell } from "../hosts/messages.js";
import { startSandbox, type LoggedRequest, type Sandbox } from "../sandbox/sandbox.js";
import { CommandError, parseOptions, UsageError, type Command } from "./command.js";
import { printable } from "./report.js";

const HELP = `Usage: pulumi-partners sandbox [options]

Starts a Partner API on 127.0.0.1 that keeps its data in memory. Prints the settings to use, and then one
line per request.

Options:
  --port <number>          port to listen on (default: any free port)
  --access-token <token>   token to accept (default: a random token)
  --webhooks <list>        existing webhooks, such as 101:active,102:disabled
  -h, --help               show this text
`;

/** `pulumi-partners sandbox`: runs a sandbox until SIGINT, SIGTERM or SIGHUP. */
export const sandboxCommand: Command = {
  help: HELP,
  run: async (args) => {
    const values = parseOptions(args, ["port", "access-token", "webhooks"]);
    const accessToken = values["access-token"];
    const options = {
      port: parsePort(values.port ?? "0"),
      ...(accessToken !== undefined && { accessToken: parseToken(accessToken) }),
      ...(values.webhooks !== undefined && { webhooks: parseWebhooks(values.webhooks) }),
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal));
    const stopped = Promise.race([...signals, npxEnded()]);
    const sandbox = await startSandbox({ ...options, onRequest: printRequest }).catch((error: unknown) => {
      throw error instanceof Error ? new CommandError(error.message) : error;
    });
    process.stdout.write(announcement(sandbox));
    await stopped;
    await sandbox.close();
    return 0;
  },
};

/**
 * Resolves when npx or its shell has ended. The shell forwards no signals to the command and outlives a killed npx, so this
 * polls both.
 */
function npxEnded(): Promise<void> {
  const shell = process.ppid;
  return new Promise((resolve) => {
    if (process.env["npm_command"] === undefined) return;
    const npx = parentOf(shell);
    setInterval(() => {
      if (process.ppid !== shell || !isRunning(npx)) resolve();
    }, 200).unref();
  });
}

/** @returns 0 if `ps` is unavailable, as on Windows; to `process.kill`, 0 is this process or its group, which is running */
function parentOf(pid: number): number {
  try {
    return Number(execFileSync("ps", ["-o", "ppid=", "-p", String(pid)], { stdio: "pipe" }));
  } catch {
    return 0;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
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

/** Prints the template instead of the path, because the path of a deletion contains the key. */
function printRequest({ operation, method, status }: LoggedRequest): void {
  const path = operation === null ? "(not a path of the Partner API)" : OPERATIONS[operation].template;
  process.stdout.write(`${printable(method)} ${path} ${status ?? "(no response)"}\n`);
}

function parsePort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new UsageError("--port must be a whole number from 0 to 65535");
}

function parseToken(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text; // The client refuses to send anything else.
  throw new UsageError("--access-token must be visible ASCII characters without spaces");
}

function parseWebhooks(text: string): { webhookId: number; state: WebhookState }[] {
  return text.split(",").map((item) => {
    const [, id, state] = /^([1-9]\d*):(active|disabled)$/.exec(item) ?? [];
    const webhookId = Number(id);
    if (!Number.isSafeInteger(webhookId))
      throw new UsageError("--webhooks must be like 101:active,102:disabled");
    return { webhookId, state: state === "active" ? "active" : "disabled" };
  });
}
