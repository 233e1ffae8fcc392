import { claimAbout } from "./claims.ts";
import { leftBy, Violation, type Done, type Evidence, type Seen } from "./evidence.ts";
import { heldIn, type Held } from "./held.ts";
import { claimKeys, isAlarm } from "./key-claims.ts";
import type { Ledger } from "./ledger.ts";

/** What holds for keys, whatever happens. Tells the ledger which key was made for which resource. @throws {Violation} */
export function assertKeysSafe({ done, seen }: Evidence, ledger: Ledger): void {
  const keys = done.filter(({ call }) => call.kind === "key");
  const making = keys.filter(({ call }) => call.verb === "create" || call.verb === "update");
  const everywhere = [...seen.values()].map(({ service }) => service);
  for (const [account, own] of seen) {
    const here = making.filter(({ call }) => call.account === account);
    claimKeys(here, own, everywhere, ledger);
    for (const key of own.removed) assertOrdered(key, keys, ledger);
    assertDeletedOnce(own);
  }
  assertPosts(making, [...seen.values()]);
  for (const one of keys) {
    const own = seen.get(one.call.account);
    if (one.call.verb === "delete") assertDeletion(one, own, ledger);
    if (one.call.verb === "update" || one.call.verb === "read") assertKept(one, own, ledger);
  }
  const silent = done.every(({ call }) => call.kind === "key" && SILENT.has(call.verb));
  if (silent && [...seen.values()].some(({ requests }) => requests.length > 0))
    throw new Violation("requests were made that cannot serve anything");
}

/** Nothing about a key can be asked for. */
const SILENT: ReadonlySet<string> = new Set(["check", "diff", "read"]);

/** A creation is sent once, but for answers of 429; and no error says that a key may exist if nothing was sent. */
function assertPosts(making: readonly Done[], seen: readonly Seen[]): void {
  const posts = seen.flatMap(({ requests }) => requests.filter(({ method }) => method === "POST"));
  const throttled = posts.filter(({ status }) => status === 429);
  if (posts.length - throttled.length > making.length) throw new Violation("a creation was sent twice");
  if (making.filter(isAlarm).length > posts.length)
    throw new Violation("an error says that a key may exist, and nothing was sent");
}

/** A key is deleted only with its resource, or when a rotation has put it out of use. */
function assertOrdered(key: string, keys: readonly Done[], ledger: Ledger): void {
  const ordered = keys.some(
    ({ call: { verb, id, olds } }) =>
      (verb === "delete" && ledger.belongs(id, key)) || (verb === "update" && olds["previousApiKey"] === key),
  );
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
  const keys = ledger.keysIn({ id: call.id, outputs: call.olds });
  if (outcome.ok) {
    if (keys.length === 0) throw new Violation("a key that nobody knows was reported deleted");
    if (keys.some((key) => own?.service.sandbox.verify(key)))
      throw new Violation("a key was reported deleted that is not");
  } else if (own) assertDeletionTold(outcome.failure.message, keys, own);
}

/** No error denies that a key was deleted, and none says that one is that is not. @param keys Those of the resource. */
function assertDeletionTold(message: string, keys: readonly string[], { service, removed }: Seen): void {
  const claim = claimAbout("deletion", message);
  if (claim === "none" && keys.some((key) => removed.includes(key)))
    throw new Violation("an error denies that a key was deleted");
  if (claim === "certain" && keys.every((key) => service.sandbox.verify(key)))
    throw new Violation("an error says that a key is deleted that is not");
}

/** Reading and updating lose nothing, and find no other key than one that was made for the resource. */
function assertKept(done: Done, own: Seen | undefined, ledger: Ledger): void {
  const { call, outcome } = done;
  const before = heldIn(call.olds);
  const left = leftBy(done);
  if (!left && call.verb === "read") throw new Violation("the reading of a key fails");
  const after: Held = left ? heldIn(left) : before;
  if (!outcome.ok && own) assertDeletionTold(outcome.failure.message, before.keys, own);
  for (const key of before.keys) {
    if (after.keys.includes(key)) continue;
    if (key !== call.olds["previousApiKey"]) throw new Violation("a key was lost");
    if (own?.service.sandbox.verify(key)) throw new Violation("a key was reported deleted that is not");
  }
  for (const key of after.keys)
    if (!ledger.belongs(call.id, key)) throw new Violation("a wrong key was found");
  const found = after.keys.some((key) => !before.keys.includes(key));
  if (before.unread !== null && after.unread !== before.unread && !found)
    throw new Violation("a response was lost");
}
