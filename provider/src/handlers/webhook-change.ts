import { PartnerError, RequestError, SettingsError } from "../api/errors.js";
import type { WebhookState } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { UNKNOWN } from "./contract.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess, Session } from "./process.js";

/** What becomes of a webhook that is no longer managed. */
export type StateOnDestroy = "leave" | "restore" | WebhookState;

/** What `state` can be, also in a preview. */
export const STATES: readonly unknown[] = ["active", "disabled", UNKNOWN];

/** What is wrong with `stateOnDestroy`. The value is not repeated, as it may be a secret of the program. */
export function stateOnDestroyProblems(value: unknown): string[] {
  if (value == null || value === "leave" || value === "restore" || STATES.includes(value)) return [];
  return [`stateOnDestroy must be "leave" (the default), "restore", "active" or "disabled".`];
}

/** The state in which a webhook is left; `null` for the one that it is in, or if what to restore is not known. */
export function stateAfter(
  stateOnDestroy: StateOnDestroy,
  initialState: WebhookState | null,
): WebhookState | null {
  if (stateOnDestroy === "leave") return null;
  return stateOnDestroy === "restore" ? initialState : stateOnDestroy;
}

/** Puts an observed webhook into a state. @throws {RequestError} */
export async function changeState(
  { client, webhooks }: Session,
  { webhookId, state }: WebhookReading,
  wanted: WebhookState,
): Promise<void> {
  if (state === wanted) return;
  await webhooks.change(webhookId, wanted, () => client.setWebhookState(webhookId, wanted));
}

/**
 * Tells apart what 404 to changes means, by a look at the list.
 *
 * @returns For each error what to say instead: the webhook does not exist, or is listed all the same.
 * @throws {RequestError} if the list cannot be read.
 */
export async function explainNotFound(
  { webhooks }: Session,
  errors: readonly RequestError[],
): Promise<readonly ResourceError[]> {
  const ids = errors.map(({ failure }) => failure.webhookId ?? NaN);
  const snapshot = await webhooks.look(ids);
  const absent = snapshot.absence(ids.filter((id) => !snapshot.get(id)));
  return errors.map(({ failure }, index) =>
    snapshot.get(ids[index] ?? NaN) ? new ResourceError({ kind: "patchedNotFound", failure }) : absent,
  );
}

/** Whether a change was answered 404. */
export function isNotFound(error: unknown): error is RequestError {
  return error instanceof RequestError && error.status === 404;
}

/** Says of which webhooks the list does not tell the state. */
export function warnIfUnknown(plugin: PluginProcess, webhooks: readonly WebhookReading[]): void {
  for (const setting of ["webhookState", "active"] as const) {
    const webhookIds = webhooks
      .filter(({ missing }) => missing === setting)
      .map(({ webhookId }) => webhookId);
    if (webhookIds.length > 0) plugin.warn({ kind: "stateUnknown", webhookIds, setting });
  }
}

/** Milliseconds that a preview waits for a server to answer before it goes on without it. */
export const PREVIEW_PATIENCE = 10_000;
/** Milliseconds after which a preview tries again what failed. */
const FAILURE_REMEMBERED = 30_000;

/** Looks at the service in a preview. @returns the problems that the update would have as well. */
export type PreviewCheck = (look: (session: Session) => Promise<unknown>) => Promise<readonly PartnerError[]>;

/**
 * Creates a {@link PreviewCheck}. A server that cannot be reached fails no preview. What failed is remembered for a while, so
 * that not every resource waits for it.
 */
export function createPreviewCheck(plugin: PluginProcess): PreviewCheck {
  let recentFailure: { readonly at: number; readonly problems: readonly PartnerError[] } | null = null;
  return async (look) => {
    const now = plugin.currentTime();
    if (recentFailure && now - recentFailure.at < FAILURE_REMEMBERED) return recentFailure.problems;
    try {
      await look(await plugin.open());
      return [];
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      if (error instanceof ResourceError) return [error]; // About this resource only.
      const fails = updateWouldFail(error);
      if (!fails) plugin.warn({ kind: "notChecked", error });
      recentFailure = { at: plugin.currentTime(), problems: fails ? [error] : [] };
      return recentFailure.problems;
    }
  };
}

/** Whether an update would fail for the same reason as the preview. A rate limit or a fault of the server may be over by then. */
function updateWouldFail(error: PartnerError): boolean {
  if (error instanceof SettingsError) return true;
  if (!(error instanceof RequestError)) return false;
  const { status } = error;
  if (status !== null) return status !== 429 && status !== 408 && status < 500;
  return error.code === "PARTNERS_UNREADABLE";
}
