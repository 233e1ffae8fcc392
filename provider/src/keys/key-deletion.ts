import { failureOf, type PartnerError } from "../partner-api/errors.js";
import { isInvalid, isNotFound } from "../partner-api/statuses.js";
import type { AccountSession } from "../plugin/account-session.js";
import { untrackKey, readCreation, withCorrectedKeys } from "./created-key.js";
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
import { valuesOf, type Key, type KeyState } from "./key-state.js";

/** Deletes all keys of a resource that is removed. @throws {PartnerError} after all deletions are sent. */
export async function deleteKeys(context: KeyContext, stored: KeyState): Promise<void> {
  const { session, holders, name } = context;
  const state = withCorrectedKeys(session, stored);
  const { current, previous } = state;
  // After a failed replacement, consumers still use this key.
  if (current !== null && holders.isWithoutKey(name.urn)) throw keyStillNeeded(current, name.urn);

  const created = readCreation(context, state);
  const unread = untrackKey(context, created);
  const keys = distinctKeys([previous, current, "key" in created ? created.key : null]);
  // Before any other key is deleted: the stack would keep the resource with a key that no longer works.
  for (const key of keys) assertNotAccessToken(context, key);

  const results: (PartnerError | null)[] = [];
  for (const key of keys) results.push(await failureOf(deleteKey(context, key)));
  const [first, ...others] = [unread, ...results].filter((failure) => failure !== null);
  if (first === undefined) return;
  const mayLackKeys = results.some((failure) => failure === null || failure.mayHaveChanged);
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

/**
 * Deletes a key, unless another resource has it. What also identifies a key that stays in use is not sent: it
 * is the ID of an account, or one that the service has given out again.
 *
 * @param current The current key of the resource, if `key` is the previous one.
 * @returns Whether the key is gone: `false` if another resource has it.
 * @throws {PartnerError} if the key could not be deleted.
 */
export async function deleteKey(context: KeyContext, key: Key, current: Key | null = null): Promise<boolean> {
  const { session, holders, name } = context;
  const staying = holders.othersThan(name).filter(({ isLeaving }) => !isLeaving);
  const values = valuesOf(key);
  const holder = staying.find(({ keys }) => keys.some((each) => values.includes(each)));
  const ownIds = current === null ? [] : holders.identifiersOf(current).map(({ value }) => value);
  const idsInUse = [...staying.flatMap(({ identifiers }) => identifiers), ...ownIds];
  const identifiers = holders.identifiersOf(key).filter(({ value }) => !idsInUse.includes(value));
  if (holder !== undefined || identifiers.length === 0) {
    session.notify(keyHeldByOther(key, name.urn, holder?.urn ?? name.urn));
    return false;
  }
  assertNotAccessToken(context, key);

  const refusal = await tryIdentifiers(session, key, identifiers);
  if (refusal === null) return true;
  // Of an imported key, no response is kept in which a setting could find an ID.
  if (isInvalid(refusal.status) && key.response !== null) {
    const others = identifiers.slice(1).flatMap(({ pointer }) => pointer ?? []);
    throw keyNotAccepted(refusal, others, session.settings.proposeMember);
  }
  await session.assertReachable(); // At a wrong address, a 404 proves nothing.
  session.notify(keyWasGone(key, name.urn));
  return true;
}

/**
 * Sends each identifier of a key only if the service did not find, or did not accept, the one before it.
 *
 * @returns The answer to the first one if the service knows none of them; `null` once the key is deleted.
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
