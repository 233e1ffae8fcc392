import { PartnerError, RequestError, SettingsError } from "../api/errors.js";
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

/** The inputs that {@link ResourceHandlers.check} has let through. */
interface WebhookInputs {
  readonly webhookId: number;
  readonly state: WebhookState;
}

/** The outputs in state. */
interface WebhookOutputs extends WebhookInputs {
  readonly stateOnDestroy: "leave" | "restore" | WebhookState;
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
      if (problems.length === 0) {
        problems.push(...declare(plugin, webhookId, urn));
        const isNew = olds["webhookId"] === undefined;
        if (isNew && typeof webhookId === "number") problems.push(...(await previewCheck(webhookId)));
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
      warnIfUnknown(plugin, webhook);
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
      if (plugin.declaredWebhooks.has(webhookId) || stateOnDestroy === "leave") return;
      const wanted = stateOnDestroy === "restore" ? initialState : stateOnDestroy;
      if (wanted !== "active" && wanted !== "disabled") {
        plugin.warn({ kind: "nothingToRestore", webhookId });
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

/** Takes note of a webhook that the program declares. @returns a problem if another resource declares it as well. */
function declare(plugin: PluginProcess, webhookId: unknown, urn: string | undefined): PartnerError[] {
  const other = plugin.declaredWebhooks.get(webhookId);
  if (other !== undefined && other !== urn && typeof webhookId === "number")
    return [new ResourceError({ kind: "declaredTwice", webhookId, other })];
  plugin.declaredWebhooks.set(webhookId, urn);
  return [];
}

/** Brings a webhook into a state. */
async function reconcile(
  plugin: PluginProcess,
  session: Session,
  webhookId: number,
  wanted: WebhookState,
): Promise<void> {
  const webhook = await existing(session, webhookId);
  if (webhook.state === wanted) return;
  warnIfUnknown(plugin, webhook);
  try {
    await session.client.setWebhookState(webhookId, wanted);
  } catch (error) {
    session.webhooks.forget();
    if (!(error instanceof RequestError) || error.status !== 404) throw error;
    await existing(session, webhookId); // Throws, naming the webhooks that exist, if it is gone.
    throw new ResourceError({ kind: "patchedNotFound", failure: error.failure });
  }
  session.webhooks.changed(webhookId, wanted);
}

/** Observes a webhook. @throws {ResourceError} if it does not exist. @throws {RequestError} */
async function existing({ webhooks }: Session, webhookId: number, within?: number): Promise<WebhookReading> {
  const webhook = await webhooks.find(webhookId, within);
  if (webhook === null) throw await webhooks.missing(webhookId);
  return webhook;
}

function warnIfUnknown(plugin: PluginProcess, { webhookId, missing }: WebhookReading): void {
  if (missing !== null) plugin.warn({ kind: "stateUnknown", webhookId, setting: missing });
}

/** Milliseconds that a preview waits for a server to answer before it goes on without it. */
const PREVIEW_PATIENCE = 10_000;
/** Milliseconds after which a preview tries again what failed. */
const FAILURE_REMEMBERED = 30_000;

/**
 * Makes what looks at a new webhook in a preview and returns the problems that the update would have as well. A server that
 * cannot be reached fails no preview. What failed is remembered for a while, so that not every resource waits for it.
 */
function createPreviewCheck(plugin: PluginProcess): (webhookId: number) => Promise<readonly PartnerError[]> {
  let recentFailure: { readonly at: number; readonly problems: readonly PartnerError[] } | null = null;
  return async (webhookId) => {
    const now = plugin.currentTime();
    if (recentFailure && now - recentFailure.at < FAILURE_REMEMBERED) return recentFailure.problems;
    try {
      await existing(await plugin.open(), webhookId, PREVIEW_PATIENCE);
      return [];
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      if (error instanceof ResourceError) return [error]; // About this webhook only.
      const fails = updateWouldFail(error);
      if (!fails) plugin.warn({ kind: "notChecked", error });
      recentFailure = { at: plugin.currentTime(), problems: fails ? [error] : [] };
      return recentFailure.problems;
    }
  };
}

/** Whether an update would fail for the same reason as the preview. A rate limit or a fault of the server may be over by then. */
function updateWouldFail(error: PartnerError): boolean {
  if (error instanceof SettingsError) return true;
  if (!(error instanceof RequestError)) return false;
  const { status } = error;
  if (status !== null) return status !== 429 && status !== 408 && status < 500;
  return error.code === "PARTNERS_UNREADABLE";
}

function inputsOf({ webhookId, state, stateOnDestroy, account }: Properties): Properties {
  return { webhookId, state, stateOnDestroy, account };
}

const STATES: readonly unknown[] = ["active", "disabled", UNKNOWN];
const ON_DESTROY: readonly unknown[] = ["leave", "restore", ...STATES];

/** What is wrong with the inputs. Values are not repeated, as they may be secrets of the program. */
function inputProblems(news: Properties): string[] {
  const { webhookId, state, stateOnDestroy } = news;
  const problems = unknownArguments("PartnerWebhookState", news, ["webhookId", "state", "stateOnDestroy"]);
  if (webhookId !== UNKNOWN && !isWebhookId(webhookId))
    problems.push(`webhookId must be a positive whole number such as 7: ${whyNoId(webhookId)}.`);
  if (!STATES.includes(state)) problems.push(`state must be "active" or "disabled".`);
  if (stateOnDestroy != null && !ON_DESTROY.includes(stateOnDestroy))
    problems.push(`stateOnDestroy must be "leave" (the default), "restore", "active" or "disabled".`);
  return problems;
}

function isWebhookId(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function whyNoId(value: unknown): string {
  if (typeof value === "string")
    return "it is a string; write it without quotes, or convert it with Number()";
  if (typeof value === "number") return "it has a fraction, is not above 0, or is too large to be exact";
  return "it is missing or of another type";
}
