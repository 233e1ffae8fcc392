import { PartnerError, RequestError, SettingsError } from "../api/errors.js";
import type { PluginProcess, Session } from "./plugin-process.js";
import { ResourceError, type Notice } from "./problems.js";

/** Milliseconds that a preview waits for the service before it continues without the check. */
const PREVIEW_TIMEOUT = 10_000;

/**
 * Runs checks against the service in a preview. An unreachable service does not fail a preview, and after a
 * failure there are no more checks, so that only one resource waits for it.
 */
export class PreviewCheck {
  readonly #plugin: PluginProcess;
  /** Once the service has failed, the result of all further checks; `null` before. */
  #afterFailure: readonly PartnerError[] | null = null;

  constructor(plugin: PluginProcess) {
    this.#plugin = plugin;
  }

  /** Runs a check. @returns The problems that would fail the update as well. */
  async run(check: (session: Session) => Promise<void>): Promise<readonly PartnerError[]> {
    if (this.#afterFailure) return this.#afterFailure;
    try {
      const checked = check(await this.#plugin.open()).then(() => true);
      const timeout = new Promise((resolve) => setTimeout(resolve, PREVIEW_TIMEOUT, false).unref());
      // After the timeout, the update waits for the same list.
      if (await Promise.race([checked, timeout])) return [];
      return this.#endChecks([], { kind: "checkTimedOut", timeout: PREVIEW_TIMEOUT });
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      if (error instanceof ResourceError) return [error]; // It concerns only this resource.
      if (updateWouldFail(error)) return this.#endChecks([error]);
      return this.#endChecks([], { kind: "notChecked", error });
    }
  }

  /** @param problems The result of all further checks. @param notice Why the preview goes on without them. */
  #endChecks(problems: readonly PartnerError[], notice?: Notice): readonly PartnerError[] {
    this.#afterFailure = problems;
    if (notice) this.#plugin.warn(notice);
    return problems;
  }
}

/** Whether the update would fail for the same reason. By then, a rate limit or a server error may be over. */
function updateWouldFail(error: PartnerError): boolean {
  // Such as an invalid proxy, which is found when the client is created.
  if (error instanceof SettingsError) return true;
  if (!(error instanceof RequestError)) return false;
  const { status } = error;
  if (status !== null) return status !== 429 && status !== 408 && status < 500;
  return error.code === "PARTNERS_UNREADABLE";
}
