import {
  readCreation,
  readKeptCreation,
  type KeyResponse,
  type KeySettings,
} from "../../../provider/src/responses/creation-reader.js";
import type { FoundKey, RefusedKey } from "../../../provider/src/responses/key-reader.js";
import type { ResponseMapping } from "../../../provider/src/responses/mapping.js";

/** The new key. */
export const K = "pk_live_4eC39HqLyjWDarjtT1zdp7dc";
/** Another secret. */
export const S = "whsec_Zy8Xw7Vu6Ts5Rq4PoN3mL2kJ1";
/** A session token. */
export const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJlLXNpZ25hdHVyZQ";
/** The access token of the account. It is never a key. */
export const TOKEN = "ptk_Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk";

/** Reads the key from a complete response to its creation. */
export function readKey(
  text: string,
  responses: ResponseMapping = {},
  accessToken = TOKEN,
): FoundKey | RefusedKey {
  const reading = readKeptCreation(responseOf(text), settingsWith(responses, accessToken));
  return reading.kind === "found" ? reading : reading.refusal;
}

/** Whether a response with this status shows that no key was created. */
export function isFailedCreation(status: number, text: string, responses: ResponseMapping = {}): boolean {
  return readCreation(responseOf(text), status, settingsWith(responses, TOKEN)).kind === "failed";
}

function responseOf(body: string): KeyResponse {
  return { body, encoding: "utf8", complete: true };
}

function settingsWith(responses: ResponseMapping, accessToken: string): KeySettings {
  return { responses, accessToken, headers: {}, isStorable: () => true };
}
