import { PartnerError, RequestError, SettingsError } from "../api/errors.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess, Session } from "./process.js";

/** Milliseconds that a preview waits for a server to answer before it goes on without it. */
export const PREVIEW_PATIENCE = 10_000;
/** Milliseconds after which a preview tries again what failed. */
const FAILURE_REMEMBERED = 30_000;

/** Looks at the service in a preview. @returns the problems that the update would have as well. */
export type PreviewCheck = (look: (session: Session) => Promise<unknown>) => Promise<readonly PartnerError[]>;

/**
 * Creates a {@link PreviewCheck}. A server that cannot be reached fails no preview. What failed is remembered for 30 s, so
 * that only one resource waits for it.
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
