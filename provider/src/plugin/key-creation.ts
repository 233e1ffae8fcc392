import type { CreatedKey } from "../api/partner-client.js";
import { InitializationError, type Properties } from "./boundary.js";
import { noteExisting } from "./key-adoption.js";
import { keyInputs } from "./key-inputs.js";
import { newKeyId } from "./key-identity.js";
import { findKey } from "./key-response.js";
import { knownKey, NO_KEY, outputsOf, type KeyState } from "./key-state.js";
import { openSession, serverOf, type Session } from "./session.js";

/** Makes a key, or takes over the one that the program names: then nothing is sent. */
export async function createKey(inputs: Properties): Promise<{ id: string; outs: Properties }> {
  const { rotation, existingApiKey } = keyInputs(inputs);
  const id = newKeyId(); // Before the request: after it, nothing may fail.
  const memory = { ...NO_KEY.memory, trigger: rotation.trigger ?? null };
  if (existingApiKey !== null) {
    noteExisting(existingApiKey);
    const key = knownKey({ apiKey: existingApiKey, keyId: null });
    return { id, outs: outputsOf({ ...key, memory: { ...memory, adopted: existingApiKey } }, inputs) };
  }
  const session = await openSession();
  const created = await session.client.createApiKey();
  const { response, createdAt } = created;
  const state = { ...NO_KEY, response, createdAt, memory, server: serverOf(session) };
  return { id, outs: findCreated(session, id, state, inputs, created) };
}

/**
 * Completes the outputs of a new resource with the key found in the kept response.
 *
 * @throws {InitializationError} that keeps the response, whatever goes wrong.
 */
export function findCreated(
  { settings }: Session,
  id: string,
  state: KeyState,
  inputs: Properties,
  created?: CreatedKey,
): Properties {
  const unread = { response: state.response ?? "", createdAt: state.createdAt ?? "an unknown time" };
  const finding = findKey(unread, 'as the secret output "response"', settings.responses, created);
  if (finding.found === null) throw new InitializationError(id, outputsOf(state, inputs), finding.reason);
  return outputsOf({ ...state, ...finding.found }, inputs);
}
