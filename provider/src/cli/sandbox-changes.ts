import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { isatty } from "node:tty";

import type { Sandbox } from "../sandbox/sandbox.js";

const USAGE =
  'Type "disable", "activate", "remove" or "add", and the ID of a webhook, such as "disable 101".';

/**
 * Applies what is typed into the sandbox to its webhooks, as if someone did so at the service.
 *
 * @param print Gets one line in reply to each.
 * @returns A function that stops reading.
 */
export function readChanges(sandbox: Sandbox, print: (reply: string) => void): () => void {
  if (isInBackground()) return () => undefined;
  const input = createInterface({ input: process.stdin, terminal: false });
  input.on("line", (line) => {
    if (line.trim() !== "") print(applyChange(sandbox, line));
  });
  return () => {
    input.close();
    process.stdin.destroy();
  };
}

/** Applies one line. @returns The reply. */
function applyChange(sandbox: Sandbox, line: string): string {
  const [, change = "", digits = ""] = /^\s*(\w+)\s+(\d{1,15})\s*$/.exec(line) ?? [];
  const webhookId = Number(digits);
  try {
    if (change === "disable") sandbox.setWebhookState(webhookId, "disabled");
    else if (change === "activate") sandbox.setWebhookState(webhookId, "active");
    else if (change === "remove") sandbox.removeWebhook(webhookId);
    else if (change === "add") sandbox.addWebhook(webhookId, "active");
    else return USAGE;
  } catch (error) {
    return (error as Error).message;
  }
  return `Webhook ${webhookId} is now ${sandbox.webhooks.get(webhookId) ?? "gone"}.`;
}

/** Whether reading would suspend this process, because the terminal belongs to another job, as after `&`. */
function isInBackground(): boolean {
  if (!isatty(0)) return false;
  const { status, stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(process.pid)], {
    encoding: "utf8",
  });
  return status === 0 && !stdout.includes("+");
}
