import type { WebhookReading } from "../../api/responses.js";
import { openSession } from "../../plugin/session.js";
import type { WebhookRegistry } from "../../plugin/webhook-list.js";
import type { StackResource } from "../stack-resources.js";
import type { Adoption } from "./adoption.js";
import type { AdoptContext } from "./context.js";
import { webhookEntry } from "./import-file.js";
import { assertNamesFree, managedWebhooks } from "./managed.js";
import type { WebhookChoice } from "./options.js";
import { webhookProgram } from "./program.js";

/** Webhooks that a note lists at the most. */
const LISTED = 20;

/**
 * Looks at the webhooks that exist, with one request, and declares those that the stack does not manage yet.
 *
 * @throws {PartnerError} if they cannot be listed, or one that was asked for does not exist.
 * @throws {CommandError} if the stack uses one of the names for something else.
 */
export async function adoptWebhooks(choice: WebhookChoice, context: AdoptContext): Promise<Adoption> {
  const { account, stack } = context;
  const { webhooks, client } = await openSession();
  const found = await choose(webhooks, choice.webhookIds).finally(() => client.close());
  const managed = managedWebhooks(context);
  const left = found.filter(({ webhookId }) => managed.has(webhookId));
  const notes =
    left.length > 0 && stack ? [`Left out, as stack ${stack.name} has them: ${list(left, managed)}.`] : [];

  const declarations = found
    .filter(({ webhookId }) => !managed.has(webhookId))
    .map(({ webhookId, state }) => ({ name: `${choice.prefix}${webhookId}`, webhookId, state }))
    .sort((one, other) => one.webhookId - other.webhookId);
  if (declarations.length === 0) {
    const nothing = found.length === 0 ? "The account has no webhooks." : "Nothing is left to adopt.";
    return { program: null, entries: [], notes: [...notes, nothing], setting: null };
  }
  const names = declarations.map(({ name }) => name);
  assertNamesFree("webhookState", names, context);
  const entries = declarations.flatMap(({ name, webhookId, state }) =>
    state === null ? [] : [webhookEntry(name, webhookId, state, account)],
  );
  const undecided = declarations.length - entries.length;
  if (undecided > 0) {
    const whose = undecided === 1 ? "The state of a webhook is" : `The states of ${undecided} webhooks are`;
    notes.push(`${whose} not known: see the comment in the program.`);
  }
  return { program: webhookProgram(declarations), entries, notes, setting: null };
}

async function choose(
  registry: WebhookRegistry,
  webhookIds: readonly number[] | null,
): Promise<readonly WebhookReading[]> {
  if (webhookIds === null) return registry.all();
  const found: WebhookReading[] = [];
  for (const webhookId of webhookIds) {
    const webhook = await registry.find(webhookId);
    if (webhook === null) throw await registry.missing(webhookId);
    found.push(webhook);
  }
  return found;
}

function list(webhooks: readonly WebhookReading[], managed: ReadonlyMap<number, StackResource>): string {
  const named = webhooks.map(({ webhookId }) => `${webhookId} (${managed.get(webhookId)?.name ?? ""})`);
  const more = named.length > LISTED ? `, and ${named.length - LISTED} more` : "";
  return `${named.slice(0, LISTED).join(", ")}${more}`;
}
