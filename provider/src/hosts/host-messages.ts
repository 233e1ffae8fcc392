import { resourceError, type PartnerError } from "../partner-api/errors.js";
import { isAuthentication, isNotFound } from "../partner-api/statuses.js";
import { PARTNER_API_KEY, PARTNER_WEBHOOK_STATE } from "../registration.js";

/**
 * Completes the message of an error.
 *
 * @param usesLastSettings Whether a setting may be that of the last `up`, as in a `destroy`.
 */
export function errorText(error: PartnerError, usesLastSettings: boolean): string {
  const hint = usesLastSettings && dependsOnSettings(error) ? ` ${LAST_SETTINGS}` : "";
  return `${error.message}${hint} [${error.code}]`;
}

/** The same error as that of another resource. @param name Empty if it is not known. */
export function repeatedText({ summary, code }: PartnerError, name: string): string {
  const other = name === "" ? "another resource" : JSON.stringify(name);
  return `${summary} (the same error as for ${other}, which says what to do). [${code}]`;
}

/** A bug, without its message: those of Node and `JSON.parse` quote their input. */
export function unexpectedText(error: unknown): string {
  const { name, stack = "" } = error instanceof Error ? error : { name: typeof error };
  const [, place] = /[\\/]([a-z-]+\.(?:js|ts):\d+)/.exec(stack) ?? []; // Of the innermost frame.
  return (
    `An unexpected ${name} in pulumi-partners${place === undefined ? "" : ` at ${place}`}. ` +
    "Please report this line. If a key was being created, it may exist: ask the service to delete it. " +
    "[PARTNERS_BUG]"
  );
}

/** A resource or a function does not exist. */
export function unknownToken(token: string, known: readonly string[]): PartnerError {
  return resourceError(
    `There is no ${JSON.stringify(token)}. Use one of: ${known.join(", ")}. Nothing was sent.`,
  );
}

/** The service lists neither keys nor what a program makes of webhooks. */
export function cannotList(token: string): PartnerError {
  return resourceError(
    token === PARTNER_API_KEY.nativeToken
      ? "Keys cannot be listed: the service shows a key only once, when it is created."
      : `Only ${PARTNER_WEBHOOK_STATE.nativeToken} can be listed.`,
  );
}

/** A person has started the plugin. */
export const NOT_A_COMMAND =
  "This is a Pulumi plugin. Pulumi starts it when needed: see the README of pulumi-partners.\n";

/**
 * The engine passes the settings of the last `up` without a program, and with one that has no resource of
 * this provider left: then, `--run-program` changes nothing.
 */
const LAST_SETTINGS =
  'If you have changed the settings since the last "pulumi up", add --run-program to a refresh or destroy. ' +
  "If you have removed the resource from the program, put it back (and its Provider, if it has one), run " +
  '"pulumi up", and remove it again.';

/** Whether other settings could help: neither after an interruption, nor if the service refuses or fails. */
function dependsOnSettings({ code, status }: PartnerError): boolean {
  const isReached = status !== null && status >= 400 && !isAuthentication(status) && !isNotFound(status);
  return code !== "PARTNERS_INTERRUPTED" && !isReached;
}
