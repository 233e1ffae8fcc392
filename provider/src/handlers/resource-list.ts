import { redactText } from "../api/redact.js";
import type { WebhookState } from "../api/operations.js";
import { ownNodesOf } from "../responses/state-reader.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess } from "./process.js";

/** An existing resource, which can be imported. */
export interface ListedResource {
  /** The ID with which it is imported. */
  readonly id: string;
  /** What a person recognizes it by; empty if there is nothing. */
  readonly name: string;
}

/**
 * Lists the existing webhooks. Keys cannot be listed, because the Partner API cannot list them.
 *
 * @param state Only webhooks in this state. @default all
 * @throws {PartnerError} if the list cannot be read, has further pages, or does not show the state of a webhook to filter.
 */
export async function listResources(plugin: PluginProcess, state?: WebhookState): Promise<ListedResource[]> {
  const { accessToken } = plugin.readSettings();
  const { webhooks } = await plugin.open();
  const all = (await webhooks.lookUp([])).all();
  const listed = state === undefined ? all : inState(all, state);
  return listed.map(({ webhookId, record }) => ({
    id: String(webhookId),
    name: nameOf(record, [accessToken]),
  }));
}

function inState(webhooks: readonly WebhookReading[], wanted: WebhookState): readonly WebhookReading[] {
  const unknown = webhooks.filter(({ state }) => state === null);
  if (unknown[0] === undefined) return webhooks.filter(({ state }) => state === wanted);
  const setting = unknown[0].missing ?? "webhookState";
  const webhookIds = unknown.map(({ webhookId }) => webhookId);
  throw new ResourceError({ kind: "stateUnknown", webhookIds, setting });
}

/** The normalized names of members by which a person recognizes a webhook, by priority. */
const NAMES = [/^(?:display)?name$/, /^(?:title|label)$/, /^description$/];
/** The normalized names of members that hold the address to which a webhook is delivered. */
const ADDRESS = /^ur[il]|ur[il]$|^(?:endpoint|address|callback|destination|target)$/;

/** Returns the name, the description or the address in a record, without anything that could be a secret. */
function nameOf(record: WebhookReading["record"], secrets: readonly string[]): string {
  const texts = ownNodesOf(record).flatMap(({ name, value }) =>
    typeof value === "string" ? { name, value: value.trim() } : [],
  );
  const names = NAMES.flatMap((pattern) => texts.filter(({ name }) => pattern.test(name)));
  const addresses = texts.filter(({ name, value }) => ADDRESS.test(name) && isWebAddress(value));
  for (const { value } of [...names, ...addresses]) {
    const shown = isWebAddress(value) ? redactAddress(new URL(value), secrets) : redactText(value, secrets);
    if (shown !== null && shown !== HIDDEN) return shown;
  }
  return "";
}

/** A text in which nothing is left to recognize. */
const HIDDEN = "***";

function isWebAddress(text: string): boolean {
  return /^https?:/i.test(text) && URL.canParse(text);
}

/** Redacts each part of an address, and leaves out the user, the password, the query and the fragment. */
function redactAddress({ protocol, host, pathname }: URL, secrets: readonly string[]): string {
  const redact = (part: string): string => redactText(part, secrets) ?? "";
  return `${protocol}//${host.split(".").map(redact).join(".")}${pathname.split("/").map(redact).join("/")}`;
}
