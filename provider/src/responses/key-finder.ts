import { isArray, isScalar, nodesOf, type DocumentNode } from "../json.js";
import { isAboutFailure } from "./failure-report.js";
import { misfitOf, type Misfit } from "./key-form.js";
import { isEnvelope, isHolder, isId, isNeverKey, readName } from "./key-names.js";

/** The values that may be the new key. Secret. */
export interface FoundKeys {
  /** The values that are named like the key, and where the key is. */
  readonly named: readonly DocumentNode[];
  /** Other values that may be the key instead. */
  readonly rivals: readonly DocumentNode[];
  /** Whether what is `named` may belong to a user or an account that is only shown next to the new key. */
  readonly isDoubtful: boolean;
  /** The values that are named like the key, and where the key is, but cannot be one. */
  readonly unfit: readonly { readonly node: DocumentNode; readonly misfit: Misfit }[];
}

/** A scalar of a document, outside everything that is named as another key. */
interface Member {
  readonly node: DocumentNode;
  /** `key`: it is named like the key. `secret`: like something that may be the key instead. */
  readonly role: "key" | "secret" | "none";
  /**
   * The outermost value around it that may have another key, such as a user, or itself if its name says so;
   * `null` if there is none. A number, because each pass makes other nodes.
   */
  readonly holder: number | null;
}

/** A body that is nothing but a key. */
const BARE_KEY = /^[\w-]{20,}$/;
const DATE_OR_EMAIL = /^\d{4}-\d\d-\d\d(?:$|[T ])|^[^@\s]+@[^@\s]+\.[A-Za-z]+$/;

/** Finds the values that may be the new key. */
export function findKeys(body: unknown, accessToken: string): FoundKeys {
  const fits = ({ node }: Member): boolean => misfitOf(node.value, accessToken) === null;
  const found = [...membersOf(body).filter(({ role }) => role !== "none")];
  const keys = found.filter((member) => member.role === "key" && fits(member));
  const [first] = keys;
  const certain = keys.filter(({ holder }) => holder === null);
  const outside =
    first === undefined || certain.length > 0
      ? []
      : [...membersOf(body).filter((member) => isOutside(member, first))];
  const secrets = found.filter((member) => member.role === "secret" && fits(member));
  const lookalikes = outside.filter((member) => fits(member) && !isAboutRequest(member.node));
  return {
    named: [...certain, ...keys.filter(({ holder }) => holder !== null)].map(({ node }) => node),
    rivals: [...secrets, ...lookalikes].map(({ node }) => node),
    isDoubtful: outside.some(({ role, node }) => role !== "none" || isIdOfRecord(node)),
    unfit: found.flatMap(({ role, node }) => {
      const misfit = role === "key" && !isBlank(node.value) ? misfitOf(node.value, accessToken) : null;
      return misfit === null ? [] : [{ node, misfit }];
    }),
  };
}

/** Yields the values that may be keys by their form, unless they are named as another key. */
export function* lookalikesIn(body: unknown, accessToken: string): Generator<DocumentNode> {
  for (const { node } of membersOf(body)) if (misfitOf(node.value, accessToken) === null) yield node;
}

/** Whether a value is outside the user or account that the key may belong to. */
function isOutside({ node, holder }: Member, key: Member): boolean {
  return holder !== key.holder && node.value !== key.node.value && typeof node.value !== "boolean";
}

/** Whether a value may be proposed to a person as the key: it is no ID, no time and the like. */
export function isProposable({ name, value }: DocumentNode): boolean {
  return !isNeverKey(name) && !isDateOrEmail(value);
}

function isAboutRequest({ name, value }: DocumentNode): boolean {
  return isAboutFailure(name) || isDateOrEmail(value);
}

function isDateOrEmail(value: unknown): boolean {
  return typeof value === "string" && DATE_OR_EMAIL.test(value);
}

function isIdOfRecord(node: DocumentNode): boolean {
  return isId(node.name, node.value) && !isAboutRequest(node);
}

function isBlank(value: unknown): boolean {
  return value === null || value === "" || typeof value === "boolean";
}

/** Yields the scalars of a body, outside everything that is named as another key. */
function* membersOf(body: unknown): Generator<Member> {
  let isOther = false;
  // The depths of the outermost values of these kinds around the next one.
  let [holderAt, strayAt, arrayAt] = [Infinity, Infinity, Infinity];
  let holders = 0;
  for (const node of nodesOf(body, () => !isOther)) {
    const { value, depth } = node;
    if (depth <= holderAt) holderAt = Infinity;
    if (depth <= strayAt) strayAt = Infinity;
    if (depth <= arrayAt) arrayAt = Infinity;
    const names = readName(node.token, node.name);
    isOther = names.isOther;
    if (isOther) continue;
    const place = placeOf(node);
    if (holderAt === Infinity && (names.isOfHolder || place !== "envelope")) {
      holders += 1;
      holderAt = depth;
    }
    if (!isScalar(value)) {
      if (isArray(value)) arrayAt = Math.min(arrayAt, depth);
      if (place === "stray") strayAt = Math.min(strayAt, depth);
    } else {
      const isKey = names.isApiKey || (names.isKey && strayAt === Infinity) || isBareKey(node);
      const otherRole = names.isApiKey || names.isSecret ? "secret" : "none";
      const role = isKey && arrayAt === Infinity ? "key" : otherRole;
      yield { node, role, holder: holderAt === Infinity ? null : holders };
    }
  }
}

/** Returns what the name of an object says: it is around the new key, it has keys, or neither. */
function placeOf({ value, name, depth }: DocumentNode): "envelope" | "holder" | "stray" {
  if (depth === 0 || isScalar(value) || isEnvelope(name)) return "envelope";
  return isHolder(name) ? "holder" : "stray";
}

function isBareKey({ value, depth }: DocumentNode): boolean {
  return depth === 0 && typeof value === "string" && BARE_KEY.test(value);
}
