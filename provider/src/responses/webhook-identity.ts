import {
  childrenOf,
  isObject,
  nameSet,
  resolvePointer,
  type DocumentNode,
  type JsonObject,
} from "../json.js";
import type { ResponseMapping } from "./mapping.js";

/** By what a person knows a webhook, as the service sent it. It may contain credentials. */
export interface WebhookIdentity {
  /** The URL to which events are sent; `null` if the record shows none. */
  readonly url: string | null;
  /** Its name or description, and further ones; empty if the record shows none. */
  readonly names: readonly string[];
}

/**
 * Names that only the URL of a delivery has, in the record or in an object about its deliveries: Square
 * (`notification_url`), Basecamp and Discourse (`payload_url`), Alchemy and Nylas (`webhook_url`), Uploadcare
 * (`target_url`), Smartsheet (`callbackUrl`), Toggl (`url_callback`), Squarespace and PagerDuty
 * (`endpoint_url`), Pipedrive (`subscription_url`), DocuSign (`urlToPublishTo`), ClickUp (`endpoint`),
 * Shopify (`address`), Asana (`target`), Paddle (`destination`), Auth0 (`httpEndpoint`), Twitch (`callback`).
 */
const URLS = nameSet(
  "targetUrl callbackUrl urlCallback endpointUrl webhookUrl hookUrl payloadUrl notificationUrl " +
    "deliveryUrl destinationUrl subscriptionUrl postUrl urlToPublishTo httpEndpoint endpoint address " +
    "target destination callback callbackUri",
);
/** Names that at the root may also be the URL of the record itself, as at GitHub, Buildkite and Basecamp. */
const PLAIN_URLS = nameSet("url uri href");
/**
 * Objects about deliveries: GitHub and Marqeta (`config`), Buildkite (`settings`), PagerDuty
 * (`delivery_method`), Twitch (`transport`), Auth0 (`sink`), Adobe (`webhookUrlInfo`), Netlify (`data`), Okta
 * (`channel`), Harbor (`targets`), Hookdeck (`destination`).
 */
const DELIVERY = nameSet(
  "config configuration settings delivery deliveryMethod transport sink sinkConfiguration webhookUrlInfo " +
    "data channel targets target destination endpoint request",
);
/** Names of a name, by priority. A description is one of the last resort. */
const NAMES = ["name", "displayName", "friendlyName", "label", "title", "alias", "description"].map((name) =>
  nameSet(name),
);

/**
 * Reads by what a person knows a webhook. A setting is the only source.
 *
 * @param nodes The result of `ownNodesOf`.
 */
export function readIdentity(
  record: JsonObject,
  nodes: readonly DocumentNode[],
  { webhookUrl, webhookName }: ResponseMapping,
): WebhookIdentity {
  const at = (pointer: string): string | null => textOf(resolvePointer(record, pointer));
  return {
    url: webhookUrl === undefined ? findUrl(nodes) : at(webhookUrl),
    names: webhookName === undefined ? findNames(nodes) : [at(webhookName) ?? []].flat(),
  };
}

/** Whether a text is a web address. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function findUrl(nodes: readonly DocumentNode[]): string | null {
  const inner = nodes.filter(({ name }) => DELIVERY.has(name)).flatMap(membersOf);
  const places = [
    [nodes, URLS],
    [inner, URLS],
    [inner, PLAIN_URLS],
    [nodes, PLAIN_URLS],
    [nodes.filter(({ name }) => name === "callbackurls").flatMap(childrenOf), nameSet("callbackUrls")],
  ] as const;
  for (const [place, names] of places)
    for (const { name, value } of place)
      if (names.has(name) && typeof value === "string" && isWebAddress(value.trim())) return value.trim();
  return null;
}

/** Returns the members of an object about deliveries, and of the objects in it, such as the first target. */
function membersOf(node: DocumentNode): DocumentNode[] {
  const members = childrenOf(node);
  return members.flatMap((member) => (isObject(member.value) ? [member, ...childrenOf(member)] : [member]));
}

function findNames(nodes: readonly DocumentNode[]): string[] {
  return NAMES.flatMap((names) =>
    nodes.flatMap(({ name, value }) => (names.has(name) ? (textOf(value) ?? []) : [])),
  );
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}
