import {
  isArray,
  isObject,
  isScalar,
  nameSet,
  nodesOf,
  normalizeName,
  resolvePointer,
  type DocumentNode,
  type JsonObject,
} from "../bodies/json.js";
import { STATES, type WebhookState } from "../partner-api/operations.js";
import { asWord, type ResponseMapping } from "../bodies/response-mapping.js";

/** What a member says. `running`: this flag does not stop the webhook, but another may. */
type Evidence = WebhookState | "running" | "unclear" | null;

/** What names of states may begin with. */
const PREFIX = /^(?:is|webhook)/;
/** Objects whose members count as those of the record. Others, such as `fallbackWebhook`, are only linked. */
const INNER = nameSet("attributes webhook webhookEndpoint");
const FLAGS = [
  { names: nameSet("active enabled"), whenTrue: "active", whenFalse: "disabled" },
  { names: nameSet("disabled"), whenTrue: "disabled", whenFalse: "active" },
  { names: nameSet("paused"), whenTrue: "disabled", whenFalse: "running" },
] as const;
const STOPPED_TIME = nameSet("disabledAt pausedAt");
const WORD_FIELD = nameSet("state status");
const ACTIVE_WORD = /^(?:active|enabled)$/;
const DISABLED_WORD = /^(?:disabled|inactive|paused?|suspended)(?:by[a-z]+)?$/;
const TRUE = ["true", "1"];
const FALSE = ["false", "0"];
/** Any other member with such a name that is set makes the state ambiguous, wherever it is. */
const STOPPED =
  /(?:disabled|deactivated|inactive|paused|suspended|stopped|deleted|archived)(?:at|on|until|date|time)?$/;
/** A date or a Unix time after 2000. Earlier ones often mean "not set", as the year 1 does in Go. */
const TIME = /^(?:2\d{3}-|[1-9]\d{9})/;
/** Returns the members of a record, and those of the objects in it that count as its own. */
export function ownNodesOf(record: JsonObject): DocumentNode[] {
  return nodesOf(record, (node) => node.parent === null || INNER.has(node.name)).filter(isOwnMember);
}

/** Reads the state of a webhook: `null` if ambiguous. The pointer says where it was read. */
export function readState(
  record: JsonObject,
  mapping: ResponseMapping,
): { readonly state: WebhookState | null; readonly pointer: string | null } {
  const { webhookState: pointer } = mapping;
  if (pointer !== undefined) return { state: readAt(record, pointer, mapping), pointer };
  const nodes = nodesWithin(record);
  const evidence = nodes.map((node) => (isOwnMember(node) ? readMember(node, mapping) : readOther(node)));
  const state = stateFrom(evidence);
  if (state === null) return { state, pointer: null };
  const decisive = evidence.findIndex((one) => stateOf(one) === state);
  return { state, pointer: nodes[decisive]?.pointer ?? null };
}

function isOwnMember({ parent }: DocumentNode): boolean {
  if (parent === null || parent.parent === null) return parent !== null;
  return parent.parent.parent === null && INNER.has(parent.name);
}

/** Reads the value at a pointer that a person sets; a missing one counts as null. */
export function readAt(record: JsonObject, pointer: string, mapping: ResponseMapping): WebhookState | null {
  const value = resolvePointer(record, pointer) ?? null;
  const name = normalizeName(pointer.slice(pointer.lastIndexOf("/") + 1)).replace(PREFIX, "");
  return stateOf(applyWords(readNamed(name, value) ?? readWord(value), value, mapping));
}

/** Reads a member by its name. Words in the settings count for `state` and `status` without a pointer. */
function readMember(node: DocumentNode, mapping: ResponseMapping): Evidence {
  const { value } = node;
  const name = node.name.replace(PREFIX, "");
  if (WORD_FIELD.has(name)) return applyWords(readWord(value), value, mapping);
  return readNamed(name, value) ?? readOther(node);
}

/** Reads a value by the words in the settings. Words set for a state replace its default words. */
function applyWords(usual: Evidence, value: unknown, mapping: ResponseMapping): Evidence {
  const isWordOf = (state: WebhookState): boolean | undefined =>
    isScalar(value) && mapping[state]?.some((word) => asWord(word) === asWord(value));
  const state = stateOf(usual);
  return STATES.find(isWordOf) ?? (state !== null && mapping[state] !== undefined ? "unclear" : usual);
}

/** Reads a flag, or the time at which a webhook was stopped. */
function readNamed(name: string, value: unknown): Evidence {
  const text = isScalar(value) ? asWord(value) : "";
  if (STOPPED_TIME.has(name)) {
    if (!isSet(value)) return "running";
    return TIME.test(text) ? "disabled" : "unclear";
  }
  const flag = FLAGS.find(({ names }) => names.has(name));
  if (flag === undefined || value === null) return null;
  if (TRUE.includes(text)) return flag.whenTrue;
  return FALSE.includes(text) ? flag.whenFalse : "unclear";
}

function readWord(value: unknown): Evidence {
  if (value === null) return null;
  const word = typeof value === "string" ? normalizeName(value) : "";
  if (ACTIVE_WORD.test(word)) return "active";
  return DISABLED_WORD.test(word) ? "disabled" : "unclear";
}

function readOther({ name, value }: DocumentNode): Evidence {
  return STOPPED.test(name) && isSet(value) ? "unclear" : null;
}

/** Returns the values of a record, except what is in arrays: those are about events and targets. */
export function nodesWithin(record: JsonObject): DocumentNode[] {
  return nodesOf(record, ({ value }) => !isArray(value));
}

function isSet(value: unknown): boolean {
  if (isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.values(value).some((member) => member !== null && member !== "");
  return value !== null && !(isScalar(value) && ["", ...FALSE].includes(asWord(value)));
}

function stateOf(evidence: Evidence): WebhookState | null {
  return stateFrom([evidence]);
}

/** Combines what the members of a record say: `null` if they disagree. */
function stateFrom(evidence: readonly Evidence[]): WebhookState | null {
  const [active, disabled] = STATES.map((state) => evidence.includes(state));
  if (evidence.includes("unclear") || (active && disabled)) return null;
  if (disabled) return "disabled";
  return active || evidence.includes("running") ? "active" : null;
}
