import { PartnerError, RequestError, SettingsError } from "../api/errors.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess, Session } from "./process.js";

/** Milliseconds that a preview waits for the server before it continues without the check. */
export const PREVIEW_TIMEOUT = 10_000;
/** Milliseconds after a failed check during which no other check sends a request. */
const FAILURE_CACHE_TIME = 30_000;

/** Runs a check against the service in a preview. @returns the problems that would fail the update as well. */
export type PreviewCheck = (
  check: (session: Session) => Promise<unknown>,
) => Promise<readonly PartnerError[]>;

/**
 * Creates a {@link PreviewCheck}. An unreachable server does not fail a preview. A failure is cached, so that only one resource
 * waits for it.
 */
export function createPreviewCheck(plugin: PluginProcess): PreviewCheck {
  let recentFailure: { readonly at: number; readonly problems: readonly PartnerError[] } | null = null;
  return async (check) => {
    const now = plugin.currentTime();
    if (recentFailure && now - recentFailure.at < FAILURE_CACHE_TIME) return recentFailure.problems;
    try {
      await check(await plugin.open());
      return [];
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      if (error instanceof ResourceError) return [error]; // It concerns only this resource.
      const fails = updateWouldFail(error);
      if (!fails) plugin.warn({ kind: "notChecked", error });
      recentFailure = { at: plugin.currentTime(), problems: fails ? [error] : [] };
      return recentFailure.problems;
    }
  };
}

/** Whether the update would fail for the same reason. By then, a rate limit or a server error may be over. */
function updateWouldFail(error: PartnerError): boolean {
  if (error instanceof SettingsError) return true;
  if (!(error instanceof RequestError)) return false;
  const { status } = error;
  if (status !== null) return status !== 429 && status !== 408 && status < 500;
  return error.code === "PARTNERS_UNREADABLE";
}
