import { messageOf, type Handlers } from "./boundary.js";
import { noteExisting, refuseToLose } from "./key-adoption.js";
import { createKey, findCreated } from "./key-creation.js";
import { giveUpKeys } from "./key-deletion.js";
import { completeInputs, keyProblems } from "./key-inputs.js";
import { recover } from "./key-response.js";
import { stamps } from "./key-stamps.js";
import { NO_ROTATION, outputsOf, previousOf, stateOf } from "./key-state.js";
import { advance } from "./rotation.js";
import { dayOf } from "./rotation-days.js";
import { planFor } from "./rotation-plan.js";
import { account, checkSettings, openSession } from "./session.js";
import { warnOnce } from "./warn.js";

/**
 * The handlers of `PartnerApiKey`. A resource whose `apiKey` is `null` holds a response that could not be read yet: it
 * stays in state as "initialization failed" until the mapping is set and `update` finds the key in it.
 */
export const partnerApiKey: Handlers = {
  check(olds, news) {
    const problems = keyProblems(news);
    const { existingApiKey } = news;
    const inputs = completeInputs(news, account());
    const adopts = existingApiKey != null && existingApiKey !== olds["existingApiKey"];
    if (adopts || olds["account"] === undefined) problems.push(...settingsProblems(adopts));
    if (problems.length > 0) return Promise.resolve({ inputs, problems });
    if (typeof existingApiKey === "string") noteExisting(existingApiKey);
    return Promise.resolve({ inputs: { ...inputs, ...stamps(olds, news, dayOf(Date.now())) }, problems });
  },

  diff(olds, news) {
    // State written before accounts had names is adopted as it is.
    const moved = olds["account"] != null && olds["account"] !== news["account"];
    if (moved) return { changes: true, replaces: ["account"] };
    const { step, notice } = planFor(olds, news, Date.now());
    if (notice !== null) warnOnce(`${notice}.`);
    return { changes: step !== "none", replaces: step === "replace" ? ["rotationDue"] : [] };
  },

  create: createKey,

  // Keys cannot be read back: what is in state is all there is, and a refresh must not lose it.
  // It completes what an older version wrote, as an output that is missing would be unknown in every preview.
  read: (_id, olds) => Promise.resolve({ props: { ...NO_ROTATION, ...olds } }),

  async update(id, olds, news) {
    const now = Date.now();
    const state = stateOf(olds);
    const { step } = planFor(olds, news, now);
    if (step === "none") return { outs: outputsOf(state, news) };
    const session = await openSession();
    if (step === "find" && state.apiKey === null) return { outs: findCreated(session, id, state, news) };
    return { outs: outputsOf(await advance(step, { session, id, news, now }, state), news) };
  },

  async delete(_id, olds) {
    const state = stateOf(olds);
    refuseToLose(state);
    const session = await openSession();
    const { response, apiKey, keyId, memory } = state;
    const { responses } = session.settings;
    const keys = [
      previousOf(state),
      memory.unread && recover(memory.unread.response, responses),
      apiKey === null ? recover(response ?? "", responses) : { apiKey, keyId },
    ];
    const held = keys.filter((key) => key !== null);
    await giveUpKeys(session, held, state.server);
  },
};

function settingsProblems(adopts: boolean): string[] {
  try {
    const { responses } = checkSettings();
    return adopts && responses.apiKeyId !== undefined ? [NO_ID] : [];
  } catch (error) {
    return [messageOf(error)];
  }
}

const NO_ID =
  "existingApiKey cannot be used with partners:responses.apiKeyId: keys are deleted by their id there, and that of an existing key is not known. Use an import file that gives keyId.";
