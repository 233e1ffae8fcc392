import { PartnerError, type Effect } from "../api/errors.js";
import type { WebhookState } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { ResourceError, type WebhookFailure } from "./problems.js";
import type { PluginProcess, Session } from "./process.js";
import { changeState, explainNotFound, isNotFound, warnIfUnknown } from "./webhook-change.js";
import type { WebhookSnapshot } from "./webhook-registry.js";

/** What came of the changes to a fleet. */
export interface FleetResult {
  /** The states before. */
  readonly found: ReadonlyMap<number, WebhookState | null>;
  /** The states now, as far as they are known. */
  readonly reached: ReadonlyMap<number, WebhookState | null>;
  readonly failed: ReadonlySet<number>;
  readonly failure: PartnerError | null;
  /** What all changes together may have done. */
  readonly effect: Effect;
}

/** Sends all changes that are needed. None is stopped by the failure of another. */
export async function changeAll(
  plugin: PluginProcess,
  session: Session,
  snapshot: WebhookSnapshot,
  wanted: ReadonlyMap<number, WebhookState>,
): Promise<FleetResult> {
  const webhooks = [...wanted.keys()].flatMap((webhookId) => snapshot.get(webhookId) ?? []);
  const found = new Map(webhooks.map(({ webhookId, state }) => [webhookId, state]));
  const differing = webhooks.filter(({ webhookId, state }) => state !== wanted.get(webhookId));
  warnIfUnknown(plugin, differing);

  const reached = new Map(found);
  const showProgress = createProgress(plugin, differing.length);
  const change = async (webhook: WebhookReading): Promise<WebhookFailure[]> => {
    const { webhookId } = webhook;
    const state = wanted.get(webhookId) ?? null;
    try {
      if (state !== null) await changeState(session, webhook, state);
      reached.set(webhookId, state);
      return [];
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      return [{ webhookId, error }];
    } finally {
      showProgress();
    }
  };
  const rejected = (await Promise.all(differing.map(change))).flat();
  const missing = [...wanted.keys()].filter((webhookId) => !found.has(webhookId));
  const absence = snapshot.absence(missing);
  const failures = [
    ...(await explained(session, rejected)),
    ...missing.map((webhookId) => ({ webhookId, error: absence })),
  ];
  const certain =
    rejected.length === differing.length && rejected.every(({ error }) => error.effect === "none");
  return {
    found,
    reached,
    failed: new Set(failures.map(({ webhookId }) => webhookId)),
    failure: failureOf(failures, differing.length + missing.length),
    effect: certain ? "none" : "possible",
  };
}

/** Says of changes that were answered 404 what that means, if the list can be read. */
async function explained(
  session: Session,
  failures: readonly WebhookFailure[],
): Promise<readonly WebhookFailure[]> {
  const notFound = failures.map(({ error }) => error).filter(isNotFound);
  if (notFound.length === 0) return failures;
  const problems = await explainNotFound(session, notFound).catch((error: unknown) => {
    if (error instanceof PartnerError) return notFound;
    throw error;
  });
  const meaning = new Map<PartnerError, PartnerError>(
    notFound.map((error, index) => [error, problems[index] ?? error]),
  );
  return failures.map(({ webhookId, error }) => ({ webhookId, error: meaning.get(error) ?? error }));
}

/** One error for all failures. One that says already which webhooks are missing stays as it is. */
function failureOf(failures: readonly WebhookFailure[], total: number): PartnerError | null {
  const [first, ...more] = failures;
  if (!first) return null;
  const { error } = first;
  const isAll = error instanceof ResourceError && more.every((other) => other.error === error);
  return isAll ? error : new ResourceError({ kind: "fleetIncomplete", failures: [first, ...more], total });
}

/** Milliseconds between two reports of progress: the engine redraws its display for each. */
const PROGRESS_INTERVAL = 250;

/** @returns What is called for each webhook that is through. */
function createProgress(plugin: PluginProcess, total: number): () => void {
  let done = 0;
  let shownAt = plugin.currentTime();
  return () => {
    done += 1;
    const now = plugin.currentTime();
    if (now - shownAt < PROGRESS_INTERVAL) return;
    shownAt = now;
    plugin.progress({ account: plugin.account, done, total });
  };
}
