import type { Wait } from "../api/client.js";
import { OPERATIONS, type ChangingOperation } from "../api/operations.js";
import { PAGE } from "./wording.js";

/**
 * Describes the progress of a change to many webhooks.
 *
 * @param account The account, if the engine shows no resource.
 */
export function renderProgress(done: number, total: number, account: string | null): string {
  return `${done}/${total} webhooks${account === null ? "" : ` in the account ${JSON.stringify(account)}`}`;
}

/** Describes a wait in a few words, for the status of a resource. */
export function renderWait(wait: Wait): string {
  const { method } = OPERATIONS[wait.operation];
  return `${method}: ${wait.reason}, retrying in ${Math.ceil(wait.delay / 1000)} s`;
}

/**
 * Says what is in flight when the process is asked to stop.
 *
 * @param event `Cancel` after the first Ctrl-C, while the engine still waits for the responses, or the name
 * of a signal.
 * @param isNative Whether the native plugin shows it. Then the npm package is not in the project, and its
 * name must not be run.
 */
export function renderStop(
  event: string,
  operations: readonly ChangingOperation[],
  isNative: boolean,
): string {
  const creations = operations.filter((operation) => OPERATIONS[operation].kind === "create").length;
  if (creations === 0) {
    const counts = [...Map.groupBy(operations, (operation) => IN_FLIGHT[operation])].map(
      ([[verb, noun], { length }]) => `${verb} ${length} ${noun}${length === 1 ? "" : "s"}`,
    );
    return `Stopping. Not finished: ${counts.join(", ")}. Run the same command again.`;
  }
  const keys = creations === 1 ? "A key is" : `${creations} keys are`;
  const [when, once] =
    event === "Cancel"
      ? ["Wait for the response: after another Ctrl-C,", "If that happens,"]
      : ["If the run has stopped,", "To find out,"];
  const check = isNative ? `see ${PAGE}#a-run-was-killed` : 'run "npx --no pulumi-partners doctor"';
  return `${keys} being created. ${when} a new key may exist that is in no stack. ${once} ${check}.`;
}

const CHANGE = ["changing", "webhook"] as const;

/** What each operation that is in flight does, and to what. */
const IN_FLIGHT: Readonly<Record<ChangingOperation, readonly [verb: string, noun: string]>> = {
  createApiKey: ["creating", "key"],
  deleteApiKey: ["deleting", "key"],
  activateWebhook: CHANGE,
  disableWebhook: CHANGE,
};
