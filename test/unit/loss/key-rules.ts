import { claimOf } from "./claims.ts";
import { Violation, type Done, type Evidence, type Seen } from "./evidence.ts";
import { isFaults, keyOfResponse } from "./kept-response.ts";
import type { Ledger } from "./ledger.ts";
import type { InitFailure, Properties } from "../../support/plugin-protocol.ts";

/** What holds for keys, whatever happens. Tells the ledger which key was made for which resource. @throws {Violation} */
export function assertKeysSafe({ done, seen }: Evidence, ledger: Ledger): void {
  const keys = done.filter(({ call }) => call.kind === "key");
  for (const [account, own] of seen) {
    assertCreations(
      keys.filter(({ call }) => call.verb === "create" && call.account === account),
      own,
      ledger,
    );
    for (const key of own.removed) assertOrdered(key, keys, ledger);
    assertDeletedOnce(own);
  }
  assertPosts(keys, [...seen.values()]);
  for (const one of keys) {
    if (one.call.verb === "delete") assertDeletion(one, seen.get(one.call.account), ledger);
    if (one.call.verb === "update" || one.call.verb === "read") assertKept(one, ledger);
  }
  const silent = done.every(({ call }) => call.kind === "key" && !["create", "delete"].includes(call.verb));
  if (silent && [...seen.values()].some(({ requests }) => requests.length > 0))
    throw new Violation("a key was asked for that cannot be read");
}

/** Every key that was made is in the state, or an error says that there may be one; and none says so without cause. */
function assertCreations(
  creations: readonly Done[],
  { service, requests, created }: Seen,
  ledger: Ledger,
): void {
  const unclaimed = new Set(created);
  for (const { call, outcome } of creations) {
    if (!outcome.ok) continue;
    const { id, properties } = outcome.value as { id: string; properties: Properties };
    const key = String(properties["apiKey"]);
    if (!unclaimed.delete(key)) throw new Violation(`the key of ${call.name} is none that was made for it`);
    ledger.keyOf.set(id, key);
  }
  const failures = creations.flatMap(({ outcome }) => (outcome.ok ? [] : [outcome.failure]));
  const kept = failures.flatMap(({ initFailure }) => initFailure ?? []);
  const responseOf = ({ properties }: InitFailure): string => String(properties["response"]);
  const tells = (failure: InitFailure): boolean => !isFaults(service, responseOf(failure));
  for (const failure of kept.filter(tells)) {
    const key = keyOfResponse(service, responseOf(failure), unclaimed);
    unclaimed.delete(key);
    ledger.keyOf.set(failure.id, key);
  }
  for (const failure of kept.filter((failure) => !tells(failure))) {
    const [any = null] = unclaimed; // It may stand for any of those that are missing.
    if (any !== null) unclaimed.delete(any);
    ledger.keyOf.set(failure.id, any);
  }
  if (failures.some(({ initFailure, message }) => initFailure && claimOf(message) !== "certain"))
    throw new Violation("a resource is kept, and its error does not say that the key exists");
  const mayExist = failures.filter(
    ({ initFailure, message }) => !initFailure && claimOf(message) !== "none",
  ).length;
  if (unclaimed.size > mayExist)
    throw new Violation(`${unclaimed.size} keys were made, and ${mayExist} errors say that one may exist`);
  const accepted = requests.filter(({ method, status, effect }) => {
    return method === "POST" && effect && status !== null && status >= 200 && status < 300;
  });
  const succeeded = creations.filter(({ outcome }) => outcome.ok);
  if (accepted.length > succeeded.length + kept.length)
    throw new Violation("a creation that was answered is not in the state");
}

/** A creation is sent once, but for answers of 429; and no error says that a key may exist if nothing was sent. */
function assertPosts(keys: readonly Done[], seen: readonly Seen[]): void {
  const posts = seen.flatMap(({ requests }) => requests.filter(({ method }) => method === "POST"));
  const creations = keys.filter(({ call }) => call.verb === "create");
  const throttled = posts.filter(({ status }) => status === 429);
  if (posts.length - throttled.length > creations.length) throw new Violation("a creation was sent twice");
  const alarms = creations.filter(
    ({ outcome }) => !outcome.ok && claimOf(outcome.failure.message) !== "none",
  );
  if (alarms.length > posts.length)
    throw new Violation("an error says that a key may exist, and nothing was sent");
}

/** A key may only be deleted by the deletion of its resource. */
function assertOrdered(key: string, keys: readonly Done[], ledger: Ledger): void {
  const ordered = keys.some(({ call }) => call.verb === "delete" && ledger.keyOf.get(call.id) === key);
  if (!ordered) throw new Violation("a key was deleted that was not to be");
}

/** A deletion that was told success or gone is not sent again. */
function assertDeletedOnce({ requests }: Seen): void {
  const told = new Set<string>();
  for (const { method, path, status } of requests) {
    if (method !== "DELETE") continue;
    if (told.has(path)) throw new Violation("a deletion was repeated after it was told that it succeeded");
    if (status !== null && ((status >= 200 && status < 300) || status === 404 || status === 410))
      told.add(path);
  }
}

/** Nothing is reported deleted that is not, and no error denies a deletion. */
function assertDeletion({ call, outcome }: Done, own: Seen | undefined, ledger: Ledger): void {
  const key = ledger.keyOf.get(call.id) ?? null;
  if (outcome.ok) {
    if (key === null) throw new Violation("a key that nobody knows was reported deleted");
    if (own?.service.sandbox.verify(key)) throw new Violation("a key was reported deleted that is not");
  } else if (key !== null && own?.removed.includes(key) && claimOf(outcome.failure.message) === "none") {
    throw new Violation("an error denies that the key was deleted");
  }
}

/** Reading and updating lose nothing, and find no other key than the one that was made. */
function assertKept({ call, outcome }: Done, ledger: Ledger): void {
  const properties = outcome.ok
    ? ((outcome.value as Properties)["properties"] as Properties)
    : outcome.failure.initFailure?.properties;
  if (!properties) {
    // Without settings nothing can be found, and nothing is touched.
    if (!outcome.ok && claimOf(outcome.failure.message) === "none" && call.verb === "update") return;
    throw new Violation(`${call.verb} of a key fails`);
  }
  const { apiKey, response } = properties;
  if (call.olds["apiKey"] !== null && apiKey !== call.olds["apiKey"]) throw new Violation("a key was lost");
  if (apiKey === null && response !== call.olds["response"]) throw new Violation("a response was lost");
  if (apiKey !== null && apiKey !== ledger.keyOf.get(call.id)) throw new Violation("a wrong key was found");
}
