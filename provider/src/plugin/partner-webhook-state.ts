import {
  ApiStatusError,
  ConfigurationError,
  PartnerError,
  ResourceError,
  UnreadableResponseError,
} from "../api/errors.js";
import type { WebhookState } from "../api/operations.js";
import { setWebhookState } from "../api/partner-client.js";
import { messageOf, type Handlers, type Properties } from "./boundary.js";
import { account, openSession, type Session } from "./session.js";
import { warnOnce } from "./warn.js";
import { inputProblems, type WebhookInputs, type WebhookOutputs } from "./webhook-inputs.js";

/** Milliseconds that a preview waits for a server to answer before it goes on without it. */
const PREVIEW_PATIENCE = 10_000;

/** Milliseconds after which a preview tries again what it could not do. */
const SETBACK_LASTS = 30_000;

/** Webhooks that the program still declares: `delete` leaves them alone, so that a rename does not undo what it keeps. */
const declared = new Set<unknown>();

/** What the last look ahead that failed had to say, so that not every resource of a preview asks, and waits, anew. */
let setback: { readonly at: number; readonly problems: readonly string[] } | null = null;

/** The handlers of `PartnerWebhookState`: observe the list, compare, act only on a difference, believe what was observed. */
export const partnerWebhookState: Handlers = {
  async check(olds, news) {
    const problems = inputProblems(news);
    const inputs = {
      webhookId: news["webhookId"],
      state: news["state"],
      stateOnDestroy: news["stateOnDestroy"] ?? "leave",
      account: account(),
    };
    const isNew = olds["webhookId"] === undefined;
    if (problems.length === 0) {
      declared.add(inputs.webhookId);
      if (isNew && typeof inputs.webhookId === "number") problems.push(...(await foresee(inputs.webhookId)));
    }
    return { inputs, problems };
  },

  diff(olds, news) {
    const differs = (name: string): boolean => olds[name] !== news[name];
    const replaces = differs("webhookId") ? ["webhookId"] : [];
    // State written before accounts had names is adopted as it is.
    if (olds["account"] != null && differs("account")) replaces.push("account");
    return { changes: replaces.length > 0 || differs("state") || differs("stateOnDestroy"), replaces };
  },

  async create(inputs) {
    const { webhookId, state } = inputs as unknown as WebhookInputs;
    const initialState = await reconcile(await openSession(), webhookId, state);
    return { id: String(webhookId), outs: { ...outputs(inputs), initialState } };
  },

  async read(_id, olds) {
    const { webhookId, state } = olds as unknown as WebhookInputs;
    const webhook = await (await openSession()).webhooks.find(webhookId);
    if (!webhook) return null;
    if (webhook.problem !== null) throw stateRefused(webhookId, webhook.problem);
    if (webhook.state === null) warnUnknown(webhookId);
    const props = { ...olds, state: webhook.state ?? state };
    return { props, inputs: outputs(props) };
  },

  async update(_id, olds, news) {
    const { webhookId, state } = news as unknown as WebhookInputs;
    await reconcile(await openSession(), webhookId, state);
    return { outs: { ...outputs(news), initialState: olds["initialState"] } };
  },

  async delete(_id, olds) {
    const { webhookId, stateOnDestroy, initialState } = olds as unknown as WebhookOutputs;
    if (declared.has(webhookId) || stateOnDestroy === "leave") return;
    const wanted = stateOnDestroy === "restore" ? initialState : stateOnDestroy;
    if (wanted === null) {
      warnOnce(`webhook ${webhookId} is left as it is: its state before it was managed could not be read.`);
      return;
    }
    const session = await openSession();
    if (await session.webhooks.find(webhookId)) await reconcile(session, webhookId, wanted);
  },
};

function outputs({ webhookId, state, stateOnDestroy, account }: Properties): Properties {
  return { webhookId, state, stateOnDestroy, account };
}

/** Brings a webhook into a state. @returns the state it was observed in before; `null` if the list does not tell. */
async function reconcile(
  { client, webhooks }: Session,
  webhookId: number,
  wanted: WebhookState,
): Promise<WebhookState | null> {
  const webhook = await webhooks.find(webhookId);
  if (!webhook) throw await webhooks.missing(webhookId);
  if (webhook.problem !== null) throw stateRefused(webhookId, webhook.problem);
  if (webhook.state === wanted) return webhook.state;
  if (webhook.state === null) warnUnknown(webhookId);
  await setWebhookState(client, webhookId, wanted);
  webhooks.changed(webhookId, wanted);
  return webhook.state;
}

/** What a preview can already tell of a new resource. A server that cannot be reached fails no preview. */
async function foresee(webhookId: number): Promise<readonly string[]> {
  if (setback && Date.now() - setback.at < SETBACK_LASTS) return setback.problems;
  try {
    const { webhooks } = await openSession();
    const webhook = await webhooks.find(webhookId, PREVIEW_PATIENCE);
    if (!webhook) throw await webhooks.missing(webhookId);
    if (webhook.problem !== null) throw stateRefused(webhookId, webhook.problem);
    return [];
  } catch (error) {
    if (error instanceof ResourceError) return [messageOf(error)]; // About this webhook only.
    setback = { at: Date.now(), problems: isCertain(error) ? [messageOf(error)] : [] };
    return setback.problems;
  }
}

/** Whether the update would fail for the same reason as the preview. */
function isCertain(error: unknown): boolean {
  if (error instanceof ConfigurationError || error instanceof UnreadableResponseError) return true;
  if (error instanceof ApiStatusError) return error.status === 401 || error.status === 403;
  return !(error instanceof PartnerError);
}

function stateRefused(webhookId: number, problem: string): ResourceError {
  return new ResourceError({
    operation: "listWebhooks",
    subject: `webhook ${webhookId}`,
    happened: "its state cannot be read without a guess",
    effect: "none",
    remedy: problem,
  });
}

function warnUnknown(webhookId: number): void {
  warnOnce(
    `the state of webhook ${webhookId} cannot be read from the list, so drift cannot be detected; set partners:responses.webhookState.`,
  );
}
