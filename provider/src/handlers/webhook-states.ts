import type { WebhookState } from "../api/operations.js";
import { redactWords } from "../api/redact.js";
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
import { createPreviewCheck, PREVIEW_PATIENCE } from "./preview-check.js";
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

/** What `state` can be, also in a preview. */
export const STATES: readonly unknown[] = ["active", "disabled", UNKNOWN];

/** What is wrong with `stateOnDestroy`. The value is not repeated, as it may be a secret of the program. */
export function stateOnDestroyProblems(value: unknown): string[] {
  if (value == null || value === "leave" || value === "restore" || STATES.includes(value)) return [];
  return [`stateOnDestroy must be "leave" (the default), "restore", "active" or "disabled".`];
}

/** States by webhook id. */
type StatesWanted = Readonly<Record<string, WebhookState>>;

/** The inputs that {@link ResourceHandlers.check} has let through. */
interface FleetInputs {
  readonly states: StatesWanted;
  readonly others: "leave" | WebhookState;
  /** What becomes of a webhook that is no longer managed. */
  readonly stateOnDestroy: "leave" | "restore" | WebhookState;
  /** The name of the account, which is the ID as well. */
  readonly account: string;
}

/** The outputs in state. */
export interface FleetOutputs extends Omit<FleetInputs, "states"> {
  /** The webhooks that the program names. */
  readonly states: StateMap;
  /** The managed webhooks that it does not name: covered by `others`, or still to be left as `stateOnDestroy` says. */
  readonly otherStates: StateMap;
  /** The state in which each managed webhook was first found. */
  readonly initialStates: StateMap;
}

/** The handlers of `PartnerWebhookStates`: one look at the list, and all changes at the same time, whatever becomes of the others. */
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
      const strangers = names.filter((name) => !isWebhookId(name)).map((name) => redactWords(name, []) ?? "");
      const declaredTwice = plugin.declarations.declare(webhookIds, isState(others), urn);
      if (declaredTwice) return { inputs, problems: [declaredTwice] };

      const known = isRecord(olds["states"]) ? olds["states"] : {};
      const isNew = webhookIds.some((webhookId) => !(webhookId in known));
      const covers = isState(others) && others !== olds["others"];
      if (isNew || covers || strangers.length > 0) {
        const found = await previewCheck(async ({ webhooks }) => {
          const snapshot = await webhooks.look(webhookIds, PREVIEW_PATIENCE);
          const missing = [...strangers, ...webhookIds.filter((webhookId) => !snapshot.get(webhookId))];
          if (missing.length > 0) throw snapshot.absence(missing);
          if (isState(others)) warnOfOthers(plugin, others, statesOf(unnamed(snapshot, named)));
        });
        problems.push(...found);
      }
      // Wrong whatever the service has, so it is said without the service as well.
      if (strangers.length > 0 && problems.length === 0)
        problems.push(new ResourceError({ kind: "noSuchWebhook", webhookIds: strangers, existing: null }));
      return { inputs, problems };
    },

    diff(olds, news) {
      const { states, otherStates, account } = olds as unknown as FleetOutputs;
      const differs = (name: string): boolean => olds[name] !== news[name];
      const { others } = news;
      if (isState(others)) warnOfOthers(plugin, others, otherStates);
      const changes =
        ["others", "stateOnDestroy", "account"].some(differs) ||
        !isSame(states, news["states"]) ||
        Object.values(otherStates).some((state) => state !== others);
      return { changes, replaces: account === news["account"] ? [] : ["account"] };
    },

    preview(olds, news) {
      const { states, others } = news;
      const before = (olds ?? { states: {}, initialStates: {} }) as unknown as FleetOutputs;
      // Only a look at the service tells of webhooks that are new to the fleet.
      const isKnown =
        isRecord(states) && others === "leave" && Object.keys(states).every((id) => id in before.states);
      return {
        ...inputsOf(news),
        otherStates: isKnown ? {} : UNKNOWN,
        initialStates: isKnown ? only(before.initialStates, idsOf(states)) : UNKNOWN,
      };
    },

    async create(news) {
      const inputs = news as unknown as FleetInputs;
      const { outputs, failure, mayHaveChanged } = await converge(plugin, inputs, null);
      const id = inputs.account;
      if (failure === null) return { id, outputs };
      // Once something was changed, the state in which it was found must be kept, or "restore" would be lost.
      throw mayHaveChanged ? new PartialFailure(id, { ...news, ...outputs }, failure) : failure;
    },

    async read(olds) {
      const { others, ...before } = olds as unknown as FleetOutputs;
      const session = await plugin.open();
      const ids = idsOf(before.initialStates);
      const snapshot = await session.webhooks.look(ids);
      const gone = ids.filter((id) => !snapshot.get(id));
      if (gone.length > 0 && !snapshot.provesAbsence) throw snapshot.absence(gone);
      const webhooks = isState(others) ? snapshot.all() : ids.flatMap((id) => snapshot.get(id) ?? []);
      warnIfUnknown(plugin, webhooks);
      const now = statesOf(webhooks, { ...before.otherStates, ...before.states });
      const outputs = {
        ...olds,
        states: only(now, idsOf(before.states)),
        otherStates: only(
          now,
          idsOf(now).filter((id) => !(id in before.states)),
        ),
        initialStates: { ...statesOf(webhooks), ...only(before.initialStates, idsOf(now)) },
      };
      if (isState(others)) warnOfOthers(plugin, others, outputs.otherStates);
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
      const left = statesAfter(plugin, stateOnDestroy, initialStates);
      if (idsOf(left).length === 0) return;
      const session = await plugin.open();
      const snapshot = await session.webhooks.look(idsOf(left));
      const { failure } = await changeStates(plugin, session, snapshot, withoutGone(left, snapshot));
      if (failure) throw failure;
    },

    async adopt(id) {
      const { account } = plugin;
      if (id !== account)
        throw new ResourceError({ kind: "wrongImportId", text: `its account: ${JSON.stringify(account)}` });
      const session = await plugin.open();
      const webhooks = (await session.webhooks.look([])).all();
      warnIfUnknown(plugin, webhooks);
      const states = statesOf(webhooks.filter(({ state }) => state !== null));
      const inputs = { states, others: "leave", stateOnDestroy: "leave", account };
      return { id, inputs, outputs: { ...inputs, otherStates: {}, initialStates: states } };
    },
  };
}

/** Brings all webhooks of a fleet into the states that the program wants, as far as the service lets it. */
async function converge(
  plugin: PluginProcess,
  inputs: FleetInputs,
  olds: FleetOutputs | null,
): Promise<Pick<ChangeResult, "failure" | "mayHaveChanged"> & { readonly outputs: Properties }> {
  const { states, others, stateOnDestroy } = inputs;
  const session = await plugin.open();
  const named = idsOf(states);
  const before = olds?.initialStates ?? {};
  const leave = isState(others) ? "leave" : stateOnDestroy;
  const leaving = leave === "leave" ? [] : idsOf(before);
  const snapshot = await session.webhooks.look([...named, ...leaving]);
  // Not before the look: what takes a webhook over may be checked meanwhile.
  const left = statesAfter(plugin, leave, before, states);
  const rest = isState(others)
    ? Object.fromEntries(unnamed(snapshot, states).map(({ webhookId }) => [webhookId, others]))
    : withoutGone(left, snapshot);
  const changes = await changeStates(plugin, session, snapshot, { ...states, ...rest });
  const { found, reached, failure, mayHaveChanged } = changes;
  // A webhook that has reached its final state is no longer managed.
  const kept = idsOf(rest).filter((id) => isState(others) || reached[id] !== rest[id]);
  const managed = [...named, ...kept];
  const outputs = {
    ...inputsOf({ ...inputs }),
    states: only({ ...withoutGone(olds?.states ?? {}, snapshot), ...reached }, named),
    otherStates: only(reached, kept),
    initialStates: only({ ...found, ...withoutGone(before, snapshot) }, managed),
  };
  return { outputs, failure, mayHaveChanged };
}

/**
 * The final state of each webhook that no resource manages any longer.
 *
 * @param managed What stays in the fleet.
 */
function statesAfter(
  plugin: PluginProcess,
  stateOnDestroy: FleetInputs["stateOnDestroy"],
  initialStates: StateMap,
  managed: StateMap = {},
): StatesWanted {
  const wanted: Record<string, WebhookState> = {};
  const unknown: number[] = [];
  for (const id of idsOf(initialStates)) {
    if (stateOnDestroy === "leave" || id in managed || plugin.declarations.has(id)) continue;
    const state = stateOnDestroy === "restore" ? initialStates[id] : stateOnDestroy;
    if (state) wanted[id] = state;
    else unknown.push(id);
  }
  if (unknown.length > 0) plugin.warn({ kind: "nothingToRestore", webhookIds: unknown });
  return wanted;
}

/** The same without webhooks that certainly do not exist. */
function withoutGone<State>(
  states: Readonly<Record<string, State>>,
  snapshot: WebhookSnapshot,
): Readonly<Record<string, State>> {
  return only(
    states,
    idsOf(states).filter((id) => snapshot.get(id) || !snapshot.provesAbsence),
  );
}

/** The webhooks of the account that the program does not name. @throws {ResourceError} if there may be others. */
function unnamed(snapshot: WebhookSnapshot, states: Properties): readonly WebhookReading[] {
  const webhooks = snapshot.all();
  if (webhooks.length === 0 && !snapshot.provesAbsence)
    throw new ResourceError({ kind: "absenceUnproven", webhookId: null, complete: true });
  return webhooks.filter(({ webhookId }) => !(webhookId in states));
}

/** Warns about the webhooks that `others` changes, because no diff lists them. */
function warnOfOthers(plugin: PluginProcess, state: WebhookState, otherStates: StateMap): void {
  const webhookIds = idsOf(otherStates).filter((webhookId) => otherStates[webhookId] !== state);
  if (webhookIds.length > 0) plugin.warn({ kind: "othersDiffer", state, webhookIds });
}

/** The entries of some webhooks. */
function only<State>(
  states: Readonly<Record<string, State>>,
  webhookIds: readonly number[],
): Record<string, State> {
  return Object.fromEntries(webhookIds.flatMap((id) => (id in states ? [[id, states[id] as State]] : [])));
}

function isSame(states: StateMap, wanted: unknown): boolean {
  if (!isRecord(wanted)) return false;
  const ids = Object.keys(wanted);
  return ids.length === Object.keys(states).length && ids.every((id) => states[id] === wanted[id]);
}

function inputsOf({ states, others, stateOnDestroy, account }: Properties): Properties {
  return { states, others, stateOnDestroy, account };
}

/** What is wrong with the inputs, keys that are no ids aside. Values are not repeated, as they may be secrets of the program. */
function inputProblems({ states, others, stateOnDestroy }: Properties): string[] {
  const problems: string[] = [];
  if (states !== UNKNOWN && !isRecord(states))
    problems.push(`states must map webhook ids to states, such as { 101: "active" }.`);
  if (isRecord(states) && !Object.values(states).every((state) => STATES.includes(state)))
    problems.push(`Every value in states must be "active" or "disabled".`);
  if (others !== "leave" && !STATES.includes(others))
    problems.push(`others must be "leave" (the default), "active" or "disabled".`);
  return [...problems, ...stateOnDestroyProblems(stateOnDestroy)];
}

function isState(value: unknown): value is WebhookState {
  return value === "active" || value === "disabled";
}

/** Whether a name is an id in its usual form: `7`, and not `07` or `7.0`. */
function isWebhookId(name: string): boolean {
  return /^[1-9]\d*$/.test(name) && Number.isSafeInteger(Number(name));
}
