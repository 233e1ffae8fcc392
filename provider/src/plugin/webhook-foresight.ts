import {
  ApiStatusError,
  ConfigurationError,
  PartnerError,
  ResourceError,
  UnreadableResponseError,
} from "../api/errors.js";
import { messageOf } from "./boundary.js";
import { warnOnce } from "./warn.js";

/** Milliseconds that a preview waits for a server to answer before it goes on without it. */
const PREVIEW_PATIENCE = 10_000;

/** Milliseconds after which a preview tries again what it could not do. */
const SETBACK_LASTS = 30_000;

/** What the last look ahead that failed had to say, so that not every resource of a preview asks, and waits, anew. */
let setback: { readonly at: number; readonly problems: readonly string[] } | null = null;

/**
 * What a preview can already tell of a new resource. A server that cannot be reached fails no preview.
 *
 * @param observe Looks at the webhook, in so many milliseconds at the most.
 * @returns the problems that the update would have as well.
 */
export async function foresee(observe: (within: number) => Promise<unknown>): Promise<readonly string[]> {
  if (setback && Date.now() - setback.at < SETBACK_LASTS) return setback.problems;
  try {
    await observe(PREVIEW_PATIENCE);
    return [];
  } catch (error) {
    if (error instanceof ResourceError) return [messageOf(error)]; // About this webhook only.
    const certain = isCertain(error);
    if (!certain)
      warnOnce(`the service could not be asked, so webhooks were not checked: ${messageOf(error)}`);
    setback = { at: Date.now(), problems: certain ? [messageOf(error)] : [] };
    return setback.problems;
  }
}

/** Whether the update would fail for the same reason as the preview. */
function isCertain(error: unknown): boolean {
  if (error instanceof ConfigurationError || error instanceof UnreadableResponseError) return true;
  if (error instanceof ApiStatusError) return !passesByItself(error.status ?? 0);
  return !(error instanceof PartnerError);
}

/** A rate limit, a time-out and a fault of the server may be over when the update comes. */
function passesByItself(status: number): boolean {
  return status === 429 || status === 408 || status >= 500;
}
