import { textsToHide } from "../api/extra-headers.js";
import { redactText } from "../api/redact.js";
import type { WebhookState } from "../api/operations.js";
import { ownNodesOf } from "../responses/state-reader.js";
import type { JsonObject } from "../json.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess } from "./plugin-process.js";
import { unknownStates } from "./webhooks/fleet-model.js";

/** A webhook that can be imported. */
export interface ListedResource {
  /** The ID for an import. */
  readonly id: string;
  /** The name by which a person recognizes it; empty if its record has none. */
  readonly name: string;
}

/**
 * Lists the existing webhooks. Keys are not listed, because the Partner API cannot list them.
 *
 * @param state Only webhooks in this state. @default all
 * @throws {PartnerError} if the list cannot be read, has further pages, or does not show the state of a
 * webhook to filter.
 */
export async function listResources(plugin: PluginProcess, state?: WebhookState): Promise<ListedResource[]> {
  const secrets = textsToHide(plugin.readSettings());
  const { webhooks } = await plugin.open();
  const all = (await webhooks.list()).all();
  const unknown = state === undefined ? null : unknownStates(all);
  if (unknown) throw new ResourceError(unknown);
  return all
    .filter((webhook) => state === undefined || webhook.state === state)
    .map(({ webhookId, record }) => ({ id: String(webhookId), name: nameOf(record, secrets) }));
}

/**
 * The normalized names of the members by which a person recognizes a webhook, by priority: its name, or where
 * it is delivered.
 */
const NAMES = [/^name$/, /^description$/];
const ADDRESS = /url$|^(?:endpoint|address|target)$/;

/**
 * Returns the name, the description or the address in a record, without what could be a secret; empty if
 * there is none. For whoever looks for the ID to import: without a name, one webhook is as good as the next.
 */
function nameOf(record: JsonObject, secrets: readonly string[]): string {
  const texts = ownNodesOf(record).flatMap(({ name, value }) =>
    typeof value === "string" ? { name, text: value.trim() } : [],
  );
  const names = NAMES.flatMap((pattern) => texts.filter(({ name }) => pattern.test(name)));
  const addresses = texts.filter(({ name, text }) => ADDRESS.test(name) && isWebAddress(text));
  const shown = [...names, ...addresses].map(({ text }) => {
    const redact = (part: string): string => redactText(part, secrets) ?? "";
    if (!isWebAddress(text)) return redact(text);
    // Part by part, and without the user, the password, the query and the fragment.
    const { protocol, host, pathname } = new URL(text);
    return `${protocol}//${host.split(".").map(redact).join(".")}${pathname.split("/").map(redact).join("/")}`;
  });
  return shown.find((text) => text !== "" && text !== "***") ?? "";
}

function isWebAddress(text: string): boolean {
  return /^https?:/i.test(text) && URL.canParse(text);
}
