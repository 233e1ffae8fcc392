import { isUtf8 } from "node:buffer";

import type { Properties } from "../adapter/properties.js";
import { isObject } from "../bodies/json.js";
import type { HttpResponse } from "../partner-api/attempt.js";
import type { KeyResponse, PARTNER_API_KEY } from "../registration.js";

/** An API key. Secret. */
export interface Key {
  readonly apiKey: string;
  /** ISO 8601; `null` if it was imported. */
  readonly createdAt: string | null;
  /** The response to its creation; `null` if it was imported. */
  readonly response: KeyResponse | null;
  /** The key in the stack, if `responses.apiKey` finds another one today. No output holds it. */
  readonly storedAs?: string;
}

/** A creation that has led to no key yet. It blocks others until it has, or a person acts. Secret. */
export interface OpenCreation {
  /** When it ended, ISO 8601. */
  readonly at: string;
  /** `rotation.trigger` at that time. */
  readonly trigger: string | null;
  /** The response, perhaps cut off, in which no new key was found; `null` if it was lost. */
  readonly response: KeyResponse | null;
  /** Why the response was lost or cut off, if that lasts until somebody corrects it: an error's message. */
  readonly cause?: string;
}

/** The keys of a `PartnerApiKey`. Secret. */
export interface KeyState {
  /** `null` until the first key is read. */
  readonly current: Key | null;
  /** The key before the last rotation, until its overlap is over. */
  readonly previous: Key | null;
  /** When the current key took over, ISO 8601; the overlap of the previous one counts from here. */
  readonly rotatedAt: string | null;
  /** When the overlap is over, ISO 8601. */
  readonly previousExpiresAt: string | null;
  /** The last `rotation.trigger` that led to a key. */
  readonly trigger: string | null;
  /** While one is open, there is no previous key: a rotation deletes that first. */
  readonly openCreation: OpenCreation | null;
}

/** The state before the first key. */
export const NO_KEY: KeyState = {
  current: null,
  previous: null,
  rotatedAt: null,
  previousExpiresAt: null,
  trigger: null,
  openCreation: null,
};

/** The outputs, without those that every resource has. Only the handlers read `internal`. */
type Outputs = Readonly<
  Record<Exclude<(typeof PARTNER_API_KEY.outputs)[number], "account"> | "internal", unknown>
>;

/** Returns the outputs of a state. All are set: a missing one would be unknown in every preview. */
export function outputsOf(state: KeyState): Outputs {
  const { current, previous, rotatedAt, previousExpiresAt, trigger, openCreation } = state;
  return {
    apiKey: current?.apiKey ?? null,
    hint: current && hintOf(current.apiKey),
    createdAt: current?.createdAt ?? null,
    // Without a key, show the response that should have contained it.
    response: (current ?? openCreation)?.response ?? null,
    previousApiKey: previous?.apiKey ?? null,
    previousExpiresAt,
    internal: {
      trigger,
      rotatedAt,
      openCreation,
      previous: previous && { createdAt: previous.createdAt, response: previous.response },
    },
  };
}

/** Returns the state that outputs hold. */
export function stateOf(outputs: Properties): KeyState {
  const { trigger, rotatedAt, openCreation, previous } = membersOf(outputs["internal"]);
  return {
    current: keyOf(outputs["apiKey"], outputs),
    previous: keyOf(outputs["previousApiKey"], membersOf(previous)),
    rotatedAt: dateOf(rotatedAt),
    previousExpiresAt: dateOf(outputs["previousExpiresAt"]),
    trigger: textOf(trigger),
    openCreation: openCreationOf(openCreation),
  };
}

/** Returns the value of a key today and, if it differs, in the stack. */
export function valuesOf({ apiKey, storedAs }: Key): string[] {
  return storedAs === undefined ? [apiKey] : [apiKey, storedAs];
}

/** Whether a key is among others, by its value today or in the stack. */
export function includesKey(keys: readonly Key[], key: Key): boolean {
  return keys.flatMap(valuesOf).some((value) => valuesOf(key).includes(value));
}

/** Returns the last four characters, as services show them; `null` if the key is too short to reveal them. */
export function hintOf(apiKey: string): string | null {
  return apiKey.length < 20 ? null : apiKey.slice(-4);
}

/** Keeps a response as it was received. */
export function keptResponse({ body, text, cutOff }: HttpResponse): KeyResponse {
  const isCutOff = cutOff !== null;
  return isUtf8(body)
    ? { body: text, encoding: "utf8", isCutOff }
    : { body: body.toString("base64"), encoding: "base64", isCutOff };
}

/** Returns the body of a kept response as text. Secret. */
export function bodyOf({ body, encoding }: KeyResponse): string {
  return Buffer.from(body, encoding).toString("utf8");
}

function keyOf(apiKey: unknown, { createdAt, response }: Properties): Key | null {
  if (typeof apiKey !== "string") return null;
  return { apiKey, createdAt: textOf(createdAt), response: responseOf(response) };
}

function openCreationOf(value: unknown): OpenCreation | null {
  if (!isObject(value)) return null;
  const { at, trigger, response, cause } = value;
  const creation = { at: textOf(at) ?? "", trigger: textOf(trigger), response: responseOf(response) };
  return typeof cause === "string" ? { ...creation, cause } : creation;
}

function responseOf(value: unknown): KeyResponse | null {
  const { body, encoding, isCutOff } = membersOf(value);
  if (typeof body !== "string") return null;
  return { body, encoding: encoding === "base64" ? encoding : "utf8", isCutOff: isCutOff === true };
}

function membersOf(value: unknown): Properties {
  return isObject(value) ? value : {};
}

/** Returns a date in ISO 8601; `null` for anything else. */
function dateOf(value: unknown): string | null {
  const text = textOf(value);
  return text === null || Number.isNaN(Date.parse(text)) ? null : text;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
