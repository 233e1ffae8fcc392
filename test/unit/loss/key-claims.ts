import { claimAbout } from "./claims.ts";
import { idOf, leftBy, Violation, type Done, type Seen } from "./evidence.ts";
import { heldIn } from "./held.ts";
import { isFaults, keyOfResponse } from "./kept-response.ts";
import type { Ledger } from "./ledger.ts";
import type { Service } from "./service.ts";

/**
 * Finds the state or the error that accounts for each key that was made: it is in the outputs of a resource, or the
 * response to its creation is, or an error says that it may exist.
 *
 * @param everywhere All services: with a wrong address, the answer may be that of another one.
 * @throws {Violation}
 */
export function claimKeys(
  making: readonly Done[],
  { service, requests, created }: Seen,
  everywhere: readonly Service[],
  ledger: Ledger,
): void {
  const unclaimed = new Set(created);
  let kept = 0;
  for (const done of making) {
    for (const key of newKeys(done)) {
      if (unclaimed.delete(key)) kept += 1;
      else if (!ledger.belongs(idOf(done), key))
        throw new Violation(`${done.call.name} holds a key that was not made for it`);
      ledger.made(idOf(done), key);
    }
  }
  const responses = making.flatMap((done) => {
    const response = newResponse(done);
    return response === null ? [] : [{ id: idOf(done), done, response }];
  });
  kept += responses.length;
  const tells = ({ response }: { response: string }): boolean =>
    !everywhere.some((any) => isFaults(any, response));
  for (const { id, response } of responses.filter(tells)) {
    const key = keyOfResponse(service, response, unclaimed);
    unclaimed.delete(key);
    ledger.answered(id, key);
  }
  for (const { id } of responses.filter((each) => !tells(each))) {
    const [any = null] = unclaimed; // It may stand for any of those that are missing.
    if (any !== null) unclaimed.delete(any);
    ledger.answered(id, any);
  }
  for (const { done } of responses) {
    if (!done.outcome.ok && claimAbout("creation", done.outcome.failure.message) !== "certain")
      throw new Violation("a response is kept, and the error does not say that its key exists");
  }

  const mayExist = making.filter((done) => isAlarm(done) && newResponse(done) === null).length;
  ledger.alarms += mayExist + responses.length;
  if (unclaimed.size > mayExist)
    throw new Violation(`${unclaimed.size} keys were made, and ${mayExist} errors say that one may exist`);
  const accepted = requests.filter(({ method, status, effect }) => {
    return method === "POST" && effect && status !== null && status >= 200 && status < 300;
  });
  if (accepted.length > kept) throw new Violation("a creation that was answered is not in the state");
}

/** Whether the error of a call says that there is a key more than before, or may be. */
export function isAlarm({ call, outcome }: Done): boolean {
  if (outcome.ok || claimAbout("creation", outcome.failure.message) === "none") return false;
  return call.verb === "create" || heldIn(call.olds).unread === null; // Else it is said of the key from before.
}

/** The keys that a call has put into the state. */
function newKeys(done: Done): readonly string[] {
  const left = leftBy(done);
  if (!left) return [];
  const before = done.call.verb === "create" ? [] : heldIn(done.call.olds).keys;
  return heldIn(left).keys.filter((key) => !before.includes(key));
}

/** The response that a call has put into the state because its key could not be found. */
function newResponse(done: Done): string | null {
  const left = leftBy(done);
  if (!left) return null;
  const { unread } = heldIn(left);
  return done.call.verb !== "create" && unread === heldIn(done.call.olds).unread ? null : unread;
}
