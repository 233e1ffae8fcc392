import { PartnerError } from "../api/errors.js";
import type { WebhookState } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import {
  PartialFailure,
  UNKNOWN,
  unknownArguments,
  type InputProblem,
  type Properties,
  type ResourceHandlers,
} from "./contract.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess, Session } from "./process.js";
import {
  changeState,
  createPreviewCheck,
  explainNotFound,
  isNotFound,
  PREVIEW_PATIENCE,
  stateAfter,
  stateOnDestroyProblems,
  STATES,
  warnIfUnknown,
  type StateOnDestroy,
} from "./webhook-change.js";

/** The inputs that {@link ResourceHandlers.check} has let through. */
interface WebhookInputs {
  readonly webhookId: number;
  readonly state: WebhookState;
}

/** The outputs in state. */
interface WebhookOutputs extends WebhookInputs {
  readonly stateOnDestroy: StateOnDestroy;
  /** The state in which the webhook was first found; `null` if the list did not tell. */
  readonly initialState: WebhookState | null;
}

/** The handlers of `PartnerWebhookState`: observe the list, compare, act only on a difference, believe what was observed. */
export function webhookStateHandlers(plugin: PluginProcess): ResourceHandlers {
  const previewCheck = createPreviewCheck(plugin);

  return {
    async check(olds, news, urn) {
      const { webhookId, state, stateOnDestroy } = news;
      const problems: InputProblem[] = inputProblems(news);
      if (problems.length === 0 && typeof webhookId === "number") {
        const declaredTwice = plugin.declarations.declare({ webhookIds: [webhookId], others: false }, urn);
        const isNew = olds["webhookId"] === undefined;
        if (declaredTwice) problems.push(declaredTwice);
        else if (isNew)
          problems.push(...(await previewCheck((session) => existing(session, webhookId, PREVIEW_PATIENCE))));
      }
      const inputs = {
        webhookId,
        state,
        stateOnDestroy: stateOnDestroy ?? "leave",
        account: plugin.account,
      };
      return { inputs, problems };
    },

    diff(olds, news) {
      const differs = (name: string): boolean => olds[name] !== news[name];
      const replaces = ["webhookId", "account"].filter(differs);
      return { changes: replaces.length > 0 || differs("state") || differs("stateOnDestroy"), replaces };
    },

    preview: (olds, news) => ({
      ...inputsOf(news),
      initialState: olds === null ? UNKNOWN : olds["initialState"],
    }),

    async create(inputs) {
      const { webhookId, state } = inputs as unknown as WebhookInputs;
      const session = await plugin.open();
      const initialState = (await existing(session, webhookId)).state;
      const id = String(webhookId);
      const outputs = { ...inputsOf(inputs), initialState };
      try {
        await reconcile(plugin, session, webhookId, state);
      } catch (error) {
        if (!(error instanceof PartnerError) || error.effect === "none") throw error;
        // Otherwise the state in which it was found would be lost, and "restore" with it.
        throw new PartialFailure(id, { ...inputs, ...outputs, state: initialState }, error);
      }
      return { id, outputs };
    },

    async read(olds) {
      const { webhookId, state } = olds as unknown as WebhookInputs;
      const webhook = await (await plugin.open()).webhooks.find(webhookId);
      if (webhook === null) return null;
      warnIfUnknown(plugin, [webhook]);
      const outputs = { ...olds, state: webhook.state ?? state };
      return { outputs, inputs: inputsOf(outputs) };
    },

    async update(_id, olds, news) {
      const { webhookId, state } = news as unknown as WebhookInputs;
      await reconcile(plugin, await plugin.open(), webhookId, state);
      return { ...inputsOf(news), initialState: olds["initialState"] };
    },

    async delete(olds) {
      const { webhookId, stateOnDestroy, initialState } = olds as unknown as WebhookOutputs;
      if (plugin.declarations.has(webhookId) || stateOnDestroy === "leave") return;
      const wanted = stateAfter(stateOnDestroy, initialState);
      if (wanted === null) {
        plugin.warn({ kind: "nothingToRestore", webhookIds: [webhookId] });
        return;
      }
      const session = await plugin.open();
      if (await session.webhooks.find(webhookId)) await reconcile(plugin, session, webhookId, wanted);
    },

    async adopt(id) {
      const webhookId = Number(id);
      if (!isWebhookId(webhookId) || String(webhookId) !== id)
        throw new ResourceError({ kind: "noImportId" });
      const { state, missing } = await existing(await plugin.open(), webhookId);
      if (state === null)
        throw new ResourceError({
          kind: "importStateUnknown",
          webhookId,
          setting: missing ?? "webhookState",
        });
      const inputs = { webhookId, state, stateOnDestroy: "leave", account: plugin.account };
      return { id, inputs, outputs: { ...inputs, initialState: state } };
    },
  };
}

/** Brings a webhook into a state. */
async function reconcile(
  plugin: PluginProcess,
  session: Session,
  webhookId: number,
  wanted: WebhookState,
): Promise<void> {
  const webhook = await existing(session, webhookId);
  if (webhook.state !== wanted) warnIfUnknown(plugin, [webhook]);
  try {
    await changeState(session, webhook, wanted);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const [explained] = await explainNotFound(session, [error]);
    throw explained ?? error;
  }
}

/** Observes a webhook. @throws {ResourceError} if it does not exist. @throws {RequestError} */
async function existing({ webhooks }: Session, webhookId: number, within?: number): Promise<WebhookReading> {
  const snapshot = await webhooks.look([webhookId], within);
  const webhook = snapshot.get(webhookId);
  if (!webhook) throw snapshot.absence([webhookId]);
  return webhook;
}

function inputsOf({ webhookId, state, stateOnDestroy, account }: Properties): Properties {
  return { webhookId, state, stateOnDestroy, account };
}

/** What is wrong with the inputs. Values are not repeated, as they may be secrets of the program. */
function inputProblems(news: Properties): string[] {
  const { webhookId, state, stateOnDestroy } = news;
  const problems = unknownArguments("PartnerWebhookState", news, ["webhookId", "state", "stateOnDestroy"]);
  if (webhookId !== UNKNOWN && !isWebhookId(webhookId))
    problems.push(`webhookId must be a positive whole number such as 7: ${whyNoId(webhookId)}.`);
  if (!STATES.includes(state)) problems.push(`state must be "active" or "disabled".`);
  return [...problems, ...stateOnDestroyProblems(stateOnDestroy)];
}

function isWebhookId(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function whyNoId(value: unknown): string {
  if (typeof value === "string") return "it is a string; write it without quotes, or convert it to a number";
  if (typeof value === "number") return "it has a fraction, is not above 0, or is too large to be exact";
  return "it is missing or of another type";
}
