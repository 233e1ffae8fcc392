import type { WebhookState } from "../api/operations.js";
import { redactText } from "../api/redact.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import {
  isRecord,
  PartialFailure,
  UNKNOWN,
  unknownArguments,
  type InputProblem,
  type Properties,
  type ResourceHandlers,
} from "./contract.js";
import { createPreviewCheck, PREVIEW_TIMEOUT } from "./preview-check.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess } from "./process.js";
import {
  changeStates,
  idsOf,
  statesOf,
  warnIfUnknown,
  type ChangeResult,
  type StateMap,
} from "./webhook-change.js";
import type { WebhookSnapshot } from "./webhook-registry.js";

/** The valid values of a state, including the placeholder in a preview. */
export const VALID_STATES: readonly unknown[] = ["active", "disabled", UNKNOWN];

/** Returns a sentence if `stateOnDestroy` is invalid. The value is not repeated, because it could be a secret. */
export function stateOnDestroyProblems(value: unknown): string[] {
  if (value == null || value === "leave" || value === "restore" || VALID_STATES.includes(value)) return [];
  return [`stateOnDestroy must be "leave" (the default), "restore", "active" or "disabled".`];
}

/** Whether a text is a webhook ID in canonical form: `7`, but not `07` or `7.0`. */
export function isWebhookId(text: string): boolean {
  return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text));
}

/** Desired states by webhook ID. */
type WantedStates = Readonly<Record<string, WebhookState>>;

/** The inputs, after {@link ResourceHandlers.check} accepted them. */
interface FleetInputs {
  readonly states: WantedStates;
  readonly others: "leave" | WebhookState;
  /** What to do with a webhook that is no longer managed. */
  readonly stateOnDestroy: "leave" | "restore" | WebhookState;
  /** The name of the account, which is also the ID of the resource. */
  readonly account: string;
}

/** The outputs in the state. */
export interface FleetOutputs extends Omit<FleetInputs, "states"> {
  /** The webhooks that the program names. */
  readonly states: StateMap;
  /** Managed webhooks that the program does not name: covered by `others`, or not yet in their final state. */
  readonly otherStates: StateMap;
  /** The state in which each managed webhook was first found. */
  readonly initialStates: StateMap;
}

/** Creates the handlers of `PartnerWebhookStates`. Each operation reads the list once and sends all changes in parallel. */
export function webhookStatesHandlers(plugin: PluginProcess): ResourceHandlers {
  const previewCheck = createPreviewCheck(plugin);

  return {
    async check(olds, news, urn) {
      const { states, others, stateOnDestroy } = news;
      const inputs = {
        states,
        others: others ?? "leave",
        stateOnDestroy: stateOnDestroy ?? "leave",
        account: plugin.account,
      };
      const problems: InputProblem[] = [
        ...unknownArguments("PartnerWebhookStates", news, ["states", "others", "stateOnDestroy"]),
        ...inputProblems(inputs),
      ];
      if (problems.length > 0) return { inputs, problems };

      const named = isRecord(states) ? states : {};
      const names = Object.keys(named);
      const webhookIds = names.filter(isWebhookId).map(Number);
      const invalidIds = names.filter((name) => !isWebhookId(name)).map((name) => redactText(name, []) ?? "");
      const declaredTwice = plugin.declarations.declare(webhookIds, isState(others), urn);
      if (declaredTwice) return { inputs, problems: [declaredTwice] };

      const known = isRecord(olds["states"]) ? olds["states"] : {};
      const isNew = webhookIds.some((webhookId) => !(webhookId in known));
      const startsToCover = isState(others) && others !== olds["others"];
      if (isNew || startsToCover || invalidIds.length > 0) {
        const found = await previewCheck(async ({ webhooks }) => {
          const snapshot = await webhooks.lookUp(webhookIds, PREVIEW_TIMEOUT);
          const missing = [...invalidIds, ...webhookIds.filter((webhookId) => !snapshot.get(webhookId))];
          if (missing.length > 0) throw snapshot.absenceError(missing);
          if (isState(others)) warnAboutOthers(plugin, others, statesOf(unnamedWebhooks(snapshot, named)));
        });
        problems.push(...found);
      }
      // An invalid ID is an error even if the service could not be reached.
      if (invalidIds.length > 0 && problems.length === 0)
        problems.push(new ResourceError({ kind: "noSuchWebhook", webhookIds: invalidIds, existing: null }));
      return { inputs, problems };
    },

    diff(olds, news) {
      const { states, otherStates, account } = olds as unknown as FleetOutputs;
      const differs = (name: string): boolean => olds[name] !== news[name];
      const { others } = news;
      if (isState(others)) warnAboutOthers(plugin, others, otherStates);
      // The state in the outputs is outdated if another resource of this run has released the webhook.
      const isReleasedOtherwise = (observed: StateMap): boolean =>
        idsOf(observed).some((id) => plugin.declarations.isReleasedOtherwise(id, observed[id]));
      const changes =
        ["others", "stateOnDestroy", "account"].some(differs) ||
        !hasSameStates(states, news["states"]) ||
        Object.values(otherStates).some((state) => state !== others) ||
        isReleasedOtherwise(states) ||
        isReleasedOtherwise(otherStates);
      return { changes, replaces: account === news["account"] ? [] : ["account"] };
    },

    preview(olds, news) {
      const { states, others } = news;
      const before = (olds ?? { states: {}, initialStates: {} }) as unknown as FleetOutputs;
      // Only the update finds out the states of webhooks that are new to the fleet.
      const isKnown =
        isRecord(states) && others === "leave" && Object.keys(states).every((id) => id in before.states);
      return {
        ...inputsOf(news),
        otherStates: isKnown ? {} : UNKNOWN,
        initialStates: isKnown ? pick(before.initialStates, idsOf(states)) : UNKNOWN,
      };
    },

    async create(news) {
      const inputs = news as unknown as FleetInputs;
      const { outputs, failure, mayHaveChanged } = await converge(plugin, inputs, null);
      const id = inputs.account;
      if (failure === null) return { id, outputs };
      // After a change, the original states must be kept in the state for "restore".
      throw mayHaveChanged ? new PartialFailure(id, outputs, failure) : failure;
    },

    async read(olds) {
      const { others, ...before } = olds as unknown as FleetOutputs;
      const session = await plugin.open();
      const ids = idsOf(before.initialStates);
      const snapshot = await session.webhooks.lookUp(ids);
      const gone = ids.filter((id) => !snapshot.get(id));
      if (gone.length > 0 && !snapshot.provesAbsence) throw snapshot.absenceError(gone);
      const webhooks = isState(others) ? snapshot.all() : ids.flatMap((id) => snapshot.get(id) ?? []);
      warnIfUnknown(plugin, webhooks);
      const now = statesOf(webhooks, { ...before.otherStates, ...before.states });
      const unnamed = idsOf(now).filter((id) => !(id in before.states));
      const outputs = {
        ...olds,
        states: pick(now, idsOf(before.states)),
        otherStates: pick(now, unnamed),
        initialStates: { ...statesOf(webhooks), ...pick(before.initialStates, idsOf(now)) },
      };
      if (isState(others)) warnAboutOthers(plugin, others, outputs.otherStates);
      return { outputs, inputs: inputsOf(outputs) };
    },

    async update(id, olds, news) {
      const inputs = news as unknown as FleetInputs;
      const { outputs, failure } = await converge(plugin, inputs, olds as unknown as FleetOutputs);
      if (failure) throw new PartialFailure(id, outputs, failure);
      return outputs;
    },

    async delete(olds) {
      const { stateOnDestroy, initialStates } = olds as unknown as FleetOutputs;
      const finalStates = (): WantedStates => finalStatesOf(plugin, stateOnDestroy, initialStates);
      const ids = idsOf(finalStates());
      if (ids.length === 0) return;
      const session = await plugin.open();
      const snapshot = await session.webhooks.lookUp(ids);
      // Computed again after the lookup: meanwhile, a resource that takes over a webhook may have been checked.
      const wanted = withoutMissing(finalStates(), snapshot);
      const { failure } = await changeStates(plugin, session, snapshot, wanted);
      if (failure) throw failure;
    },

    async adopt(id) {
      const { account } = plugin;
      if (id !== account)
        throw new ResourceError({ kind: "wrongImportId", text: `its account: ${JSON.stringify(account)}` });
      const session = await plugin.open();
      const webhooks = (await session.webhooks.lookUp([])).all();
      warnIfUnknown(plugin, webhooks);
      const states = statesOf(webhooks.filter(({ state }) => state !== null));
      const inputs = { states, others: "leave", stateOnDestroy: "leave", account };
      return { id, inputs, outputs: { ...inputs, otherStates: {}, initialStates: states } };
    },
  };
}

/** Brings the webhooks of a fleet into the desired states, and those that leave it into their final states. */
async function converge(
  plugin: PluginProcess,
  inputs: FleetInputs,
  olds: FleetOutputs | null,
): Promise<Pick<ChangeResult, "failure" | "mayHaveChanged"> & { readonly outputs: Properties }> {
  const { states, others, stateOnDestroy } = inputs;
  const session = await plugin.open();
  const named = idsOf(states);
  const before = olds?.initialStates ?? {};
  const mayLeave = isState(others) || stateOnDestroy === "leave" ? [] : idsOf(before);
  const snapshot = await session.webhooks.lookUp([...named, ...mayLeave]);
  // The final states are computed after the lookup: meanwhile, a resource that takes over a webhook may have been checked.
  const rest = isState(others)
    ? Object.fromEntries(unnamedWebhooks(snapshot, states).map(({ webhookId }) => [webhookId, others]))
    : withoutMissing(finalStatesOf(plugin, stateOnDestroy, before, states), snapshot);
  const changes = await changeStates(plugin, session, snapshot, { ...states, ...rest });
  const { found, reached, failure, mayHaveChanged } = changes;
  // A webhook in its final state is no longer managed.
  const kept = idsOf(rest).filter((id) => isState(others) || reached[id] !== rest[id]);
  const managed = [...named, ...kept];
  const outputs = {
    ...inputsOf({ ...inputs }),
    states: pick({ ...withoutMissing(olds?.states ?? {}, snapshot), ...reached }, named),
    otherStates: pick(reached, kept),
    initialStates: pick({ ...found, ...withoutMissing(before, snapshot) }, managed),
  };
  return { outputs, failure, mayHaveChanged };
}

/**
 * Returns the final states of the webhooks that no resource manages any longer.
 *
 * @param managed The webhooks that stay in the fleet.
 */
function finalStatesOf(
  plugin: PluginProcess,
  stateOnDestroy: FleetInputs["stateOnDestroy"],
  initialStates: StateMap,
  managed: StateMap = {},
): WantedStates {
  const wanted: Record<string, WebhookState> = {};
  const unknown: number[] = [];
  for (const id of idsOf(initialStates)) {
    if (stateOnDestroy === "leave" || id in managed || plugin.declarations.has(id)) continue;
    const state = stateOnDestroy === "restore" ? initialStates[id] : stateOnDestroy;
    if (state) {
      wanted[id] = state;
      plugin.declarations.release(id, state);
    } else unknown.push(id);
  }
  if (unknown.length > 0) plugin.warn({ kind: "nothingToRestore", webhookIds: unknown });
  return wanted;
}

/** Drops the webhooks that certainly do not exist. */
function withoutMissing<State>(
  states: Readonly<Record<string, State>>,
  snapshot: WebhookSnapshot,
): Readonly<Record<string, State>> {
  return pick(
    states,
    idsOf(states).filter((id) => snapshot.get(id) || !snapshot.provesAbsence),
  );
}

/** Returns the webhooks that the program does not name. @throws {ResourceError} if the list may not show all of them. */
function unnamedWebhooks(snapshot: WebhookSnapshot, states: Properties): readonly WebhookReading[] {
  const webhooks = snapshot.all();
  if (webhooks.length === 0 && !snapshot.provesAbsence)
    throw new ResourceError({ kind: "absenceUnproven", webhookId: null, complete: true });
  return webhooks.filter(({ webhookId }) => !(webhookId in states));
}

/** Warns about the webhooks that `others` changes. The diff does not list them. */
function warnAboutOthers(plugin: PluginProcess, state: WebhookState, otherStates: StateMap): void {
  const webhookIds = idsOf(otherStates).filter((webhookId) => otherStates[webhookId] !== state);
  if (webhookIds.length > 0) plugin.warn({ kind: "othersDiffer", state, webhookIds });
}

/** Returns the entries of some webhooks. */
function pick<State>(
  states: Readonly<Record<string, State>>,
  webhookIds: readonly number[],
): Record<string, State> {
  return Object.fromEntries(webhookIds.flatMap((id) => (id in states ? [[id, states[id] as State]] : [])));
}

function hasSameStates(states: StateMap, wanted: unknown): boolean {
  if (!isRecord(wanted)) return false;
  const ids = Object.keys(wanted);
  return ids.length === Object.keys(states).length && ids.every((id) => states[id] === wanted[id]);
}

function inputsOf({ states, others, stateOnDestroy, account }: Properties): Properties {
  return { states, others, stateOnDestroy, account };
}

/** Returns a sentence for each invalid input, except for invalid IDs. Values are not repeated, because they could be secrets. */
function inputProblems({ states, others, stateOnDestroy }: Properties): string[] {
  const problems: string[] = [];
  if (states !== UNKNOWN && !isRecord(states))
    problems.push(`states must map webhook IDs to states, such as { 101: "active" }.`);
  if (isRecord(states) && !Object.values(states).every((state) => VALID_STATES.includes(state)))
    problems.push(`Every value in states must be "active" or "disabled".`);
  if (others !== "leave" && !VALID_STATES.includes(others))
    problems.push(`others must be "leave" (the default), "active" or "disabled".`);
  return [...problems, ...stateOnDestroyProblems(stateOnDestroy)];
}

function isState(value: unknown): value is WebhookState {
  return value === "active" || value === "disabled";
}
