import type { AccountSession } from "../account/account-session.js";
import { asPartnerError, failureOf, PartnerError } from "../partner-api/errors.js";
import { isInvalid, isNotFound } from "../partner-api/statuses.js";
import type { KeyContext } from "./key-holders.js";
import type { KeyIdentifier } from "./key-identifier-reader.js";
import {
  keyHeldByOther,
  keyIsAccessToken,
  keyNotAccepted,
  keyStillNeeded,
  keyWasGone,
  removalFailed,
} from "./key-messages.js";
import { includesKey, valuesOf, type Key, type KeyState } from "./key-state.js";
import { readCreation, settleForRemoval, withCorrectedKeys } from "./open-creation.js";

/** Deletes all keys of a resource that is removed. @throws {PartnerError} after all deletions are sent. */
export async function deleteKeys(context: KeyContext, stored: KeyState): Promise<void> {
  const { session, holders, name } = context;
  const state = withCorrectedKeys(session, stored);
  const { current, previous } = state;
  // After a failed replacement, consumers still use this key.
  if (current !== null && holders.isWithoutKey(name.urn)) throw keyStillNeeded(current, name.urn);

  const created = settleForRemoval(context, readCreation(context, state));
  const isFailure = created instanceof PartnerError;
  const keys = distinctKeys([previous, current, isFailure ? null : created]);
  // Before any other key is deleted: the stack would keep the resource with a key that no longer works.
  for (const key of keys) assertNotAccessToken(context, key);

  const failures = isFailure ? [created] : [];
  let mayLackKeys = false;
  for (const key of keys) {
    const result = await deleteKey(context, key).catch(asPartnerError);
    if (result instanceof PartnerError) failures.push(result);
    mayLackKeys ||= result instanceof PartnerError ? result.mayHaveChanged : result === "gone";
  }
  const [first, ...others] = failures;
  if (first === undefined) return;
  // Unless something replaces the resource, the stack keeps it with keys that may not work.
  const lacksKeys = mayLackKeys && !holders.isReplaced(name);
  throw removalFailed({ failures: [first, ...others], urn: name.urn, lacksKeys, hasStack: session.hasStack });
}

function distinctKeys(keys: readonly (Key | null)[]): Key[] {
  return [...new Map(keys.filter((key) => key !== null).map((key) => [key.apiKey, key])).values()];
}

/** The deletion of the access token would be the last request. */
function assertNotAccessToken({ session, name }: KeyContext, key: Key): void {
  if (valuesOf(key).includes(session.readSettings().accessToken))
    throw keyIsAccessToken(key, name.urn, session.settings.settingName);
}

/** What became of a key. `gone`: deleted, or unknown to the service. `kept`: another resource has it. */
export type Fate = "gone" | "kept";

/**
 * Deletes a key, unless another resource has it. What also identifies a key that stays in use is not sent: it
 * is the ID of an account, or one that the service has given out again.
 *
 * @param current The current key of the resource, if `key` is the previous one.
 * @throws {PartnerError} if the key could not be deleted.
 */
export async function deleteKey(context: KeyContext, key: Key, current: Key | null = null): Promise<Fate> {
  const { session, holders, name } = context;
  const staying = holders.othersThan(name).filter(({ isLeaving }) => !isLeaving);
  const holder = staying.find(({ keys }) => includesKey(keys, key));
  if (holder !== undefined) return keep(context, key, holder.urn);

  const keysInUse = [current, ...staying.flatMap(({ keys }) => keys)].filter((each) => each !== null);
  const idsInUse = keysInUse.flatMap((each) => holders.identifiersOf(each)).map(({ value }) => value);
  const identifiers = holders.identifiersOf(key).filter(({ value }) => !idsInUse.includes(value));
  if (identifiers.length === 0) return keep(context, key, null);

  assertNotAccessToken(context, key);
  const refusal = await tryIdentifiers(session, key, identifiers);
  if (refusal === null) return "gone";
  // Of an imported key, no response is kept in which a setting could find an ID.
  if (isInvalid(refusal.status) && key.response !== null) {
    const others = identifiers.slice(1).flatMap(({ pointer }) => pointer ?? []);
    throw keyNotAccepted(refusal, session.settings.proposeMember("apiKeyId", others));
  }
  await session.assertReachable(); // At a wrong address, a 404 proves nothing.
  session.notify(keyWasGone(key, name.urn));
  return "gone";
}

/** Skips a deletion, with a warning. @param holder The URN of who has the key; `null` if nobody has it. */
function keep({ session, name }: KeyContext, key: Key, holder: string | null): Fate {
  session.notify(keyHeldByOther(key, name.urn, holder));
  return "kept";
}

/**
 * Sends the identifiers of a key, each only if the service did not find, or did not accept, the one before.
 *
 * @returns `null` once the key is deleted; otherwise the answer to the first one, which decides: a service
 * that deletes by key answers 404 to a revoked key, and perhaps 400 to any ID.
 * @throws {PartnerError} that says anything else.
 */
async function tryIdentifiers(
  session: AccountSession,
  { apiKey }: Key,
  identifiers: readonly KeyIdentifier[],
): Promise<PartnerError | null> {
  const client = await session.open();
  let first: PartnerError | null = null;
  for (const { value } of identifiers) {
    const failure = await failureOf(client.deleteApiKey(value, [apiKey]));
    if (failure === null) return null;
    if (!isNotFound(failure.status) && !isInvalid(failure.status)) throw failure;
    first ??= failure;
  }
  return first;
}
