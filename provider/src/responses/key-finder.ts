import { isArray, isScalar, nodesOf, type DocumentNode } from "../json.js";
import { isAboutFailure } from "./failure-report.js";
import { misfitOf, type Misfit } from "./key-form.js";
import { isEnvelope, isId, isHolder, readKeyName } from "./key-names.js";

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
  const found = [...membersOf(body).filter(({ role, node }) => role !== "none" && !isNothing(node.value))];
  const fit = found.filter(fits);
  const keys = fit.filter(({ role }) => role === "key");
  const [first] = keys;
  const isHeld = first !== undefined && keys.every(({ holder }) => holder !== null);
  const outside = isHeld ? [...membersOf(body).filter((member) => isOutside(member, first))] : [];
  const rivals = [...fit.filter(({ role }) => role === "secret"), ...outside.filter(fits)];
  return {
    named: keys
      .toSorted((one, other) => Number(one.holder !== null) - Number(other.holder !== null))
      .map(({ node }) => node),
    rivals: rivals.map(({ node }) => node),
    isDoubtful: outside.some(({ node }) => isId(node.name, node.value)),
    unfit: found.flatMap(({ role, node }) => {
      const misfit = role === "key" ? misfitOf(node.value, accessToken) : null;
      return misfit === null ? [] : [{ node, misfit }];
    }),
  };
}

/** Returns the values that may be keys by their form, unless they are named as another key. */
export function lookalikesIn(body: unknown, accessToken: string): IteratorObject<DocumentNode> {
  const fits = ({ node }: Member): boolean => misfitOf(node.value, accessToken) === null;
  return membersOf(body)
    .filter(fits)
    .map(({ node }) => node);
}

/** Whether a value may speak of something that was created besides a key that may be that of a user. */
function isOutside({ node, holder }: Member, key: Member): boolean {
  const { name, value } = node;
  if (holder === key.holder || value === key.node.value || isNothing(value)) return false;
  return !isAboutFailure(name) && !(typeof value === "string" && DATE_OR_EMAIL.test(value));
}

function isNothing(value: unknown): boolean {
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
    const names = readKeyName(node.token, node.name);
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
