import { PartnerError, RequestError } from "../api/errors.js";
import type { WebhookState } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { ResourceError, type WebhookFailure } from "./problems.js";
import type { PluginProcess, Session } from "./process.js";
import type { WebhookSnapshot } from "./webhook-registry.js";

/** States by webhook id; `null` where the list has never told it. */
export type StateMap = Readonly<Record<string, WebhookState | null>>;

/** What came of changes to webhooks. */
export interface ChangeResult {
  /** The states before. */
  readonly found: StateMap;
  /** The states now, as far as they are known. */
  readonly reached: StateMap;
  readonly failure: PartnerError | null;
  /** Whether anything may have changed on the server. */
  readonly mayHaveChanged: boolean;
}

/** Brings observed webhooks into states; sends only what is needed. No change is stopped by the failure of another. */
export async function changeStates(
  plugin: PluginProcess,
  session: Session,
  snapshot: WebhookSnapshot,
  wanted: Readonly<Record<string, WebhookState>>,
): Promise<ChangeResult> {
  const { client, webhooks: registry } = session;
  const webhooks = idsOf(wanted).flatMap((id) => snapshot.get(id) ?? []);
  const found = statesOf(webhooks);
  const differing = webhooks.filter(({ webhookId, state }) => state !== wanted[webhookId]);
  warnIfUnknown(plugin, differing);

  const reached: Record<string, WebhookState | null> = { ...found };
  const showProgress = createProgress(plugin, differing.length);
  const change = async ({ webhookId }: WebhookReading): Promise<WebhookFailure[]> => {
    const state = wanted[webhookId];
    if (state === undefined) return [];
    try {
      await registry.change(webhookId, state, () => client.setWebhookState(webhookId, state));
      reached[webhookId] = state;
      return [];
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      return [{ webhookId, error }];
    } finally {
      showProgress();
    }
  };
  const rejected = (await Promise.all(differing.map(change))).flat();
  const missing = idsOf(wanted).filter((id) => !(id in found));
  const failures = [...(await explainNotFound(session, rejected)), ...absences(snapshot, missing)];
  return {
    found,
    reached,
    failure: failureOf(failures, differing.length + missing.length),
    mayHaveChanged:
      rejected.length < differing.length || rejected.some(({ error }) => error.effect === "possible"),
  };
}

/** Lists the webhooks once to find out what a 404 means: the webhook is gone, or is still listed. */
async function explainNotFound(
  { webhooks }: Session,
  failures: readonly WebhookFailure[],
): Promise<readonly WebhookFailure[]> {
  const ids = failures.filter(({ error }) => isNotFound(error)).map(({ webhookId }) => webhookId);
  const snapshot = ids.length === 0 ? null : await webhooks.look(ids).catch(() => null);
  if (snapshot === null) return failures;
  const absence = snapshot.absence(ids.filter((id) => !snapshot.get(id)));
  return failures.map(({ webhookId, error }) => {
    if (!isNotFound(error)) return { webhookId, error };
    const listed = new RequestError({ ...error.failure, cause: { kind: "listed" } });
    return { webhookId, error: snapshot.get(webhookId) ? listed : absence };
  });
}

/** The failures of webhooks that are missing, with one error for all. It names what exists, so it is made only where it is needed. */
function absences(snapshot: WebhookSnapshot, webhookIds: readonly number[]): readonly WebhookFailure[] {
  if (webhookIds.length === 0) return [];
  const error = snapshot.absence(webhookIds);
  return webhookIds.map((webhookId) => ({ webhookId, error }));
}

function isNotFound(error: PartnerError): error is RequestError {
  return error instanceof RequestError && error.status === 404;
}

/** One error for all failures. A single one says already what it is about. */
function failureOf(failures: readonly WebhookFailure[], total: number): PartnerError | null {
  const [first, ...more] = failures;
  if (!first) return null;
  if (more.every(({ error }) => error === first.error)) return first.error;
  return new ResourceError({ kind: "fleetIncomplete", failures: [first, ...more], total });
}

/** Warns about webhooks whose state the list does not show. */
export function warnIfUnknown(plugin: PluginProcess, webhooks: readonly WebhookReading[]): void {
  for (const setting of ["webhookState", "active"] as const) {
    const webhookIds = webhooks
      .filter(({ missing }) => missing === setting)
      .map(({ webhookId }) => webhookId);
    if (webhookIds.length > 0) plugin.warn({ kind: "stateUnknown", webhookIds, setting });
  }
}

/** The ids in a {@link StateMap}, and in what is like one. */
export function idsOf(states: object): number[] {
  return Object.keys(states).map(Number);
}

/** The states in a list. @param known What holds for those whose state the list does not tell. */
export function statesOf(webhooks: readonly WebhookReading[], known: StateMap = {}): StateMap {
  return Object.fromEntries(
    webhooks.map(({ webhookId, state }) => [webhookId, state ?? known[webhookId] ?? null]),
  );
}

/** Milliseconds between two reports of progress: the engine redraws its display for each. */
const PROGRESS_INTERVAL = 250;

/** @returns What is called for each webhook that is through. Of one alone nothing is shown: its resource says as much. */
function createProgress(plugin: PluginProcess, total: number): () => void {
  let done = 0;
  let shownAt = plugin.currentTime();
  return () => {
    done += 1;
    const now = plugin.currentTime();
    if (total === 1 || now - shownAt < PROGRESS_INTERVAL) return;
    shownAt = now;
    plugin.progress({ account: plugin.account, done, total });
  };
}
