import { textsToHide } from "../api/extra-headers.js";
import { redactText } from "../api/redact.js";
import { isWebAddress, readIdentity } from "../responses/webhook-identity.js";
import { ownNodesOf } from "../responses/state-reader.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { webhookLabel, type SearchableWebhook } from "../webhook-search.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import type { WebhookSnapshot } from "./webhook-registry.js";

/** A webhook as it is shown to a person, with the complete values that a search compares. */
export type ShownWebhook = SearchableWebhook & Required<Pick<SearchableWebhook, "full">>;

/** Words and short numbers, such as `orders-webhook-2024`, which redaction would hide. */
const LABEL = /^[A-Za-z]+(?:[-_. ](?:[A-Za-z]{1,20}|[0-9]{1,4}))*$/;
/**
 * What people write in a path, between separators: words, numbers, and what is too short for a secret.
 * Anything else may authorize whoever knows it, as the path does at Slack, Discord and IFTTT.
 */
const PATH_WORDS = [
  /^(?:[a-z]{1,20}|[A-Z]{1,10})\d{0,6}$/,
  /^(?:[a-z]{2,15})?(?:[A-Z]{1,5}[a-z]{2,15}){1,5}[A-Z]{0,5}\d{0,6}$/,
  /^\d{1,15}$/,
  /^\w{0,4}$/,
];

/**
 * Describes a webhook by its URL and its name. They are shown without what could be a secret, because they
 * are in messages and, in plain text, in states: a URL without user, password, query and fragment.
 */
export function shownWebhook(plugin: PluginProcess, webhook: WebhookReading): ShownWebhook {
  const settings = plugin.readSettings();
  const { responses } = settings;
  const secrets = textsToHide(settings);
  const { webhookId, state, record } = webhook;
  const { url, names } = readIdentity(record, ownNodesOf(record), responses);

  return {
    webhookId,
    state,
    url: url === null ? null : shownUrl(url, secrets),
    name: names.map((name) => shownName(name, secrets)).find((name) => name !== null) ?? null,
    full: { url, name: names[0] ?? null },
  };
}

/** Names webhooks of a list by their IDs and what they are known by. */
export function shownLabels(
  plugin: PluginProcess,
  list: Pick<WebhookSnapshot, "get">,
  webhookIds: readonly number[],
): readonly string[] {
  return webhookIds.map((webhookId) => {
    const webhook = list.get(webhookId);
    return webhook === undefined ? String(webhookId) : webhookLabel(shownWebhook(plugin, webhook));
  });
}

function shownName(text: string, secrets: readonly string[]): string | null {
  if (isWebAddress(text)) return shownUrl(text, secrets);
  if (LABEL.test(text) && text.length <= 100 && !secrets.some((secret) => text.includes(secret))) return text;
  return orNull(redactText(text, secrets));
}

/** Returns a URL part by part, without the parts that may hold credentials. */
function shownUrl(text: string, secrets: readonly string[]): string | null {
  const redact = (part: string): string => redactText(part, secrets) ?? "";
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return orNull(redactText(text, secrets));
  const { protocol, host, pathname } = new URL(text);
  const path = pathname.split("/").map((part) => (isPlain(part) ? redact(part) : "***"));
  return `${protocol}//${host.split(".").map(redact).join(".")}${path.join("/")}`;
}

function isPlain(part: string): boolean {
  return part.split(/[-_.~]/).every((word) => PATH_WORDS.some((pattern) => pattern.test(word)));
}

/** Nothing is better than a name that shows nothing. */
function orNull(text: string | null): string | null {
  return text === "***" ? null : text;
}
