import { type DocumentNode, isWebPage, normalizeName, nodesOf, parseDocument, provesWhole } from "../json.js";
import { messageIn } from "../api/server-message.js";
import { documentReportsFailure, isAboutFailure, membersBesideErrors } from "./failure-report.js";
import { misfitAtPointer, misfitOf } from "./key-form.js";
import { readApiKeyId } from "./key-ids.js";
import { isId, readName } from "./key-names.js";
import { readApiKey, type FoundKey, type ParsedBody, type RefusedKey } from "./key-reader.js";
import type { ResponseMapping } from "./mapping.js";

/** A response of the service, as received. Secret. */
export interface KeyResponse {
  /** The body as text, or in base64. */
  readonly body: string;
  /** The encoding of `body`: `base64` if the body is not valid UTF-8, or is a text that Pulumi interprets. */
  readonly encoding: "utf8" | "base64";
  /** Whether the whole body was received. */
  readonly complete: boolean;
}

/** What the reading of a creation depends on besides the response. What is sent is never a key. Secret. */
export interface KeySettings {
  readonly responses: ResponseMapping;
  readonly accessToken: string;
  /** The values of the headers, by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the state can hold a key. */
  readonly isStorable: (apiKey: string) => boolean;
}

/** What the response to a creation says: the key, or why there is none that is certain. */
export type KeyReading = FoundKey | UnreadCreation;

/** There may be a key, but none is certain. The response is kept until one is found. */
export interface UnreadCreation {
  readonly kind: "unread";
  readonly refusal: RefusedKey;
  /** Whether the response also reports a failure, so that there may be no key. */
  readonly reportsFailure: boolean;
  /** What the server says, not redacted yet: it may be or name the key. `null` if it says nothing. */
  readonly serverMessage: string | null;
}

/** The response shows that no key was created. */
export interface FailedCreation {
  readonly kind: "failed";
  readonly isWebPage: boolean;
}

/** Returns the body of a response as text. Secret. */
export function responseText({ body, encoding }: KeyResponse): string {
  return Buffer.from(body, encoding).toString("utf8");
}

/**
 * Reads the response to a creation as it arrives. Never throws.
 *
 * @param status The status of the response.
 */
export function readCreation(
  response: KeyResponse,
  status: number,
  settings: KeySettings,
): KeyReading | FailedCreation {
  const body = bodyOf(response);
  const key = readApiKey(body, settings.responses, settings.accessToken);
  if (key.kind === "refused" && deniesCreation(body, status, settings))
    return { kind: "failed", isWebPage: isWebPage(body.text) };
  return judged(key, body, response.complete, settings, status === 202);
}

/** Reads a response that was kept, with the settings of today. It may hold a key, whatever else it says. */
export function readKeptCreation(response: KeyResponse, settings: KeySettings): KeyReading {
  const body = bodyOf(response);
  const key = readApiKey(body, settings.responses, settings.accessToken);
  return judged(key, body, response.complete, settings);
}

function bodyOf(response: KeyResponse): ParsedBody {
  const text = responseText(response);
  return { text, document: parseDocument(text) };
}

/** Judges what was found, and adds what else a response without a key says. */
function judged(
  key: FoundKey | RefusedKey,
  body: ParsedBody,
  complete: boolean,
  settings: KeySettings,
  isAccepted = false,
): KeyReading {
  const read = usable(received(key, body, complete), settings);
  if (read.kind === "found") return read;
  const { text, document } = body;
  const reportsFailure = isWebPage(text) || documentReportsFailure(document);
  const refusal = isAccepted || saysPending(document) ? { ...read, isPending: true as const } : read;
  return { kind: "unread", refusal, reportsFailure, serverMessage: messageIn(document) };
}

/** Words of a service that has not finished. The status of a kept response is not known any more. */
const PENDING = /^(?:pending|queued|accepted|processing|(?:in)?progress|running|creating|provisioning)$/;

function saysPending(document: unknown): boolean {
  return nodesOf(document).some(({ name, value, depth }) => {
    if (depth > 2 || typeof value !== "string") return false;
    return (name === "status" || name === "state") && PENDING.test(normalizeName(value));
  });
}

/**
 * Refuses what may have been cut off. Half a key in plain text would be passed on to consumers, and deleted
 * instead of the real key.
 */
function received(
  key: FoundKey | RefusedKey,
  { text, document }: ParsedBody,
  complete: boolean,
): FoundKey | RefusedKey {
  const saysWhy = key.kind === "found" || key.candidates.length > 0 || key.misfit !== undefined;
  if (provesWhole(document) || (complete && saysWhy)) return key;
  const isEmpty = complete && text.trim() === "";
  return { kind: "refused", reason: isEmpty ? "empty" : "not JSON", candidates: [] };
}

/** Refuses a key that the state cannot hold, or that each request sends as a header. */
function usable(
  key: FoundKey | RefusedKey,
  { responses, headers, isStorable }: KeySettings,
): FoundKey | RefusedKey {
  if (key.kind === "refused") return key;
  const reason = responses.apiKey === undefined ? "none" : "pointer";
  if (!isStorable(key.apiKey)) return { kind: "refused", reason, candidates: [] };
  // Not if it is only a part: a key may begin with the name of the tenant.
  if (!Object.values(headers).includes(key.apiKey)) return key;
  return { kind: "refused", reason, candidates: [], misfit: { pointer: key.pointer, kind: "header" } };
}

/**
 * Whether a 2xx response without a certain key shows that no key was created, so that it is not kept. A
 * response that is kept in vain costs the user one command; one that is dropped may be the only copy of a
 * key, and every `pulumi up` creates another. So a failure counts only if nothing besides its words may be a
 * key, by its form or by its name. A 201 says that something was created: then a web page counts as a key,
 * and so does the ID of a record. A `responses` pointer that finds a value takes precedence.
 */
function deniesCreation(
  { text, document }: ParsedBody,
  status: number,
  { responses, accessToken }: KeySettings,
): boolean {
  if (document === undefined) return status !== 201 && isWebPage(text);
  if (!documentReportsFailure(document) || readApiKeyId(text, responses) !== null) return false;
  return !nodesOf(membersBesideErrors(document)).some((node) => {
    const { name, value } = node;
    if (isAboutFailure(name)) return false;
    if (misfitOf(value, accessToken) === null || isNamedKey(node, accessToken)) return true;
    return status === 201 && isId(name, value);
  });
}

/** Whether a value may be a key because of its name, whatever its form. */
function isNamedKey({ token, name, value }: DocumentNode, accessToken: string): boolean {
  const { isOther, isApiKey, isKey, isSecret } = readName(token, name);
  if (isOther || !(isApiKey || isKey || isSecret || name === "keys")) return false;
  if (typeof value === "number") return true;
  const misfit = misfitAtPointer(value, accessToken);
  return misfit === null || misfit === "characters" || misfit === "long";
}
