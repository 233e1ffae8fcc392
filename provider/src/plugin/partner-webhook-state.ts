import { PartnerError, ResourceError } from "../api/errors.js";
import type { WebhookState } from "../api/operations.js";
import { setWebhookState } from "../api/partner-client.js";
import type { WebhookReading } from "../api/responses.js";
import { InitializationError, messageOf, type Handlers } from "./boundary.js";
import { account, openSession, type Session } from "./session.js";
import { warnOnce } from "./warn.js";
import { foresee } from "./webhook-foresight.js";
import { inputProblems, type WebhookInputs, type WebhookOutputs } from "./webhook-inputs.js";
import { completeInputs, newWebhook, sharedOutputs } from "./webhook-resource.js";

/** Webhooks that the program still declares: `delete` leaves them alone, so that a rename does not undo what it keeps. */
const declared = new Set<unknown>();

/** The handlers of `PartnerWebhookState`: observe the list, compare, act only on a difference, believe what was observed. */
export const partnerWebhookState: Handlers = {
  async check(olds, news) {
    const problems = inputProblems(news);
    const { webhookId } = news;
    const isNew = olds["webhookId"] === undefined;
    if (problems.length === 0) {
      declared.add(webhookId);
      if (isNew && typeof webhookId === "number") {
        const observe = async (within: number) => existing(await openSession(), webhookId, within);
        problems.push(...(await foresee(observe)));
      }
    }
    return { inputs: completeInputs(news, account()), problems };
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
    const session = await openSession();
    const initialState = (await existing(session, webhookId)).state;
    const { id, outs } = newWebhook(inputs, initialState);
    await reconcile(session, webhookId, state).catch((error: unknown) => {
      if (!(error instanceof PartnerError) || error.effect === "none") throw error;
      // The state in which it was found would be lost, and "restore" with it.
      const found = { ...inputs, ...outs, state: initialState };
      throw new InitializationError(id, found, messageOf(error));
    });
    return { id, outs };
  },

  async read(_id, olds) {
    const { webhookId, state } = olds as unknown as WebhookInputs;
    const webhook = await (await openSession()).webhooks.find(webhookId);
    if (!webhook) return null;
    if (webhook.problem !== null) throw stateRefused(webhookId, webhook.problem);
    if (webhook.state === null) warnUnknown(webhookId);
    const props = { ...olds, state: webhook.state ?? state };
    return { props, inputs: sharedOutputs(props) };
  },

  async update(_id, olds, news) {
    const { webhookId, state } = news as unknown as WebhookInputs;
    await reconcile(await openSession(), webhookId, state);
    return { outs: { ...sharedOutputs(news), initialState: olds["initialState"] } };
  },

  async delete(_id, olds) {
    const { webhookId, stateOnDestroy, initialState } = olds as unknown as WebhookOutputs;
    if (declared.has(webhookId) || stateOnDestroy === "leave") return;
    const wanted = stateOnDestroy === "restore" ? initialState : stateOnDestroy;
    if (wanted !== "active" && wanted !== "disabled") {
      warnOnce(`webhook ${webhookId} is left as it is: its state before it was managed is not known.`);
      return;
    }
    const session = await openSession();
    if (await session.webhooks.find(webhookId)) await reconcile(session, webhookId, wanted);
  },
};

/** Brings a webhook into a state. */
async function reconcile(session: Session, webhookId: number, wanted: WebhookState): Promise<void> {
  const { state } = await existing(session, webhookId);
  if (state === wanted) return;
  if (state === null) warnUnknown(webhookId);
  await setWebhookState(session.client, webhookId, wanted).catch((error: unknown) => {
    session.webhooks.forget();
    throw error;
  });
  session.webhooks.changed(webhookId, wanted);
}

/** Observes a webhook. @throws {PartnerError} if it does not exist, or its state could be read in two ways. */
async function existing({ webhooks }: Session, webhookId: number, within?: number): Promise<WebhookReading> {
  const webhook = await webhooks.find(webhookId, within);
  if (!webhook) throw await webhooks.missing(webhookId);
  if (webhook.problem !== null) throw stateRefused(webhookId, webhook.problem);
  return webhook;
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
