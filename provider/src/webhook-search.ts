import type { WebhookState } from "./api/operations.js";

/** What a webhook is looked for by: exactly one of the two. */
export interface WebhookQuery {
  readonly url?: unknown;
  readonly name?: unknown;
}

/** A webhook as it is shown, and as it is compared. */
export interface SearchableWebhook {
  readonly webhookId: number;
  readonly state: WebhookState | null;
  /** As it is shown; `null` if the service does not show it. The same holds for `name`. */
  readonly url: string | null;
  readonly name: string | null;
  /** The complete URL and name. May contain secrets. @default as they are shown */
  readonly full?: { readonly url: string | null; readonly name: string | null };
}

/** Why no webhook was found, without anything secret. */
export type SearchFailure = Readonly<
  /** Not exactly one of `url` and `name` is text. */
  | { kind: "wrongQuery" }
  /** `several`: those that match; `none`: all webhooks. Each is an ID with the name and the URL. */
  | { kind: "none" | "several"; by: "url" | "name"; webhooks: readonly string[]; isShown: boolean }
>;

/**
 * Finds the only webhook with a URL or a name.
 *
 * URLs are compared as a browser understands them (WHATWG): without regard to the case of scheme and host, to
 * a default port and to a missing slash after the host. The query counts, as does a slash at the end of the
 * path. The user, the password and the fragment do not. Names are compared exactly, without space around
 * them.
 */
export function findWebhook<Webhook extends SearchableWebhook>(
  webhooks: readonly Webhook[],
  query: WebhookQuery,
): Webhook | SearchFailure {
  const given = (["url", "name"] as const).filter((key) => query[key] != null);
  const [by, other] = given;
  const wanted = by === undefined ? undefined : query[by];
  if (by === undefined || other !== undefined || typeof wanted !== "string" || wanted.trim() === "")
    return { kind: "wrongQuery" };
  const normalize = by === "url" ? comparableUrl : (text: string): string => text.trim();
  const values = webhooks.map(({ full, ...webhook }) => (full ?? webhook)[by]);
  const found = webhooks.filter((_, index) => {
    const value = values[index] ?? null;
    return value !== null && normalize(value) === normalize(wanted);
  });
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  const isShown = values.some((value) => value !== null);
  const kind = first === undefined ? "none" : "several";
  return { kind, by, webhooks: (first === undefined ? webhooks : found).map(webhookLabel), isShown };
}

/** Whether a search found a webhook. */
export function isFound<Webhook extends SearchableWebhook>(
  result: Webhook | SearchFailure,
): result is Webhook {
  return "webhookId" in result;
}

/** Names a webhook by its ID and what it is known by: `101 ("orders", hooks.example.com/orders)`. */
export function webhookLabel(webhook: SearchableWebhook): string {
  const known = knownAs(webhook);
  return known === null ? String(webhook.webhookId) : `${webhook.webhookId} (${known})`;
}

/** Returns the name in quotes, and the URL without scheme or empty path; `null` if neither is shown. */
export function knownAs({ url, name }: Pick<SearchableWebhook, "url" | "name">): string | null {
  const address = url?.replace(/^[a-z+.-]+:\/\//i, "").replace(/^([^/]*)\/$/, "$1") ?? null;
  const parts = [name === null ? null : JSON.stringify(name), address].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(", ");
}

/**
 * Explains a failed search.
 *
 * @param settingName Names a member of the setting `responses`.
 */
export function searchFailureText(failure: SearchFailure, settingName: (member: string) => string): string {
  if (failure.kind === "wrongQuery")
    return "getPartnerWebhook needs the url or the name of a webhook: exactly one of them, as text.";
  const { kind, by, webhooks, isShown } = failure;
  const what = by === "url" ? "URL" : "name";
  const more = webhooks.length > 10 ? ` and ${webhooks.length - 10} more` : "";
  const names = webhooks.slice(0, 10).join(", ") + more;
  if (kind === "several")
    return (
      `${webhooks.length} webhooks have this ${what}: ${names}. ` +
      "Use what only one of them has, or its webhookId."
    );
  const setting = settingName(by === "url" ? "webhookUrl" : "webhookName");
  if (webhooks.length > 0 && !isShown)
    return (
      `No ${what} was found in the webhook list. If the list has ${what}s, set ${setting}. ` +
      `Otherwise use a webhookId: ${names}.`
    );
  return (
    `No webhook has this ${what}. Existing webhooks: ${names || "none"}. ` +
    `Correct the ${what}, or use a webhookId.`
  );
}

/** Returns a URL as it is compared. Other text is compared as it is. */
function comparableUrl(text: string): string {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed)) return trimmed;
  const url = new URL(trimmed);
  url.username = "";
  url.password = "";
  url.hash = "";
  return url.href;
}
