import { ApiStatusError, PartnerError } from "../../api/errors.js";
import type { CreatedKey, PartnerClient } from "../../api/partner-client.js";
import { explainApiKey, readApiKey, type KeyReading } from "../../api/responses.js";
import { searchable } from "../../api/wire.js";
import { messageOf } from "../../plugin/boundary.js";
import type { Settings } from "../../plugin/settings.js";
import { failed, ok, type Check, type KeyReport } from "./report.js";
import { describePlaces, mappingRemedy } from "./shape.js";

/** What became of the trial. */
export interface KeyTrial {
  readonly check: Check;
  readonly key: KeyReport;
}

type ReadKey = Extract<KeyReading, { readable: true }>;

/** Signals that must not end the process while only it knows a key. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Makes a key, looks for it in the response and deletes it again. Nothing of it is reported but where it stood.
 *
 * @param inProject See {@link mappingRemedy}.
 */
export async function tryKey(
  client: PartnerClient,
  settings: Settings,
  inProject: boolean,
): Promise<KeyTrial> {
  for (const signal of SIGNALS) process.on(signal, sayWait);
  try {
    return await makeAndDelete(client, settings, inProject);
  } finally {
    for (const signal of SIGNALS) process.off(signal, sayWait);
  }
}

function sayWait(): void {
  process.stderr.write("A key is being made and deleted again; this ends by itself.\n");
}

async function makeAndDelete(
  client: PartnerClient,
  settings: Settings,
  inProject: boolean,
): Promise<KeyTrial> {
  let created: CreatedKey;
  try {
    created = await client.createApiKey();
  } catch (error) {
    const requestId = error instanceof PartnerError ? error.requestId : null;
    const outcome = mayHaveWorked(error) ? "may exist" : "not made";
    const key = { outcome, at: new Date().toISOString(), requestId, explanation: null } as const;
    return { check: failed("key", messageOf(error)), key };
  }
  const facts = { at: created.createdAt, requestId: created.requestId, explanation: null };
  try {
    const { outcome, check, explanation } = await readAndDelete(client, settings, inProject, created);
    return { check, key: { ...facts, outcome, explanation } };
  } catch (error) {
    // Not foreseen; but a key is left over, and that must be said whatever happens.
    const check = failed("key", messageOf(error), left("may still EXIST", created));
    return { check, key: { ...facts, outcome: "may exist" } };
  }
}

async function readAndDelete(
  client: PartnerClient,
  settings: Settings,
  inProject: boolean,
  created: CreatedKey,
): Promise<Pick<KeyReport, "outcome" | "explanation"> & { readonly check: Check }> {
  const response = searchable(created.response);
  const explanation = explainApiKey(response, settings.responses);
  const reading = readApiKey(response, settings.responses);
  if (!reading.readable) {
    const remedy = mappingRemedy(explanation, settings.responses, inProject);
    const next = reading.mappable ? [...remedy, AGAIN] : [];
    const detail = `A key was made, and it could not be found in the response. ${reading.problem}`;
    const check = failed("key", detail, left("EXISTS", created), ...next);
    return { outcome: "exists", explanation, check };
  }
  try {
    await deleteAgain(client, settings, reading);
  } catch (error) {
    const possible = mayHaveWorked(error);
    const detail = `A key was made and read, but not deleted again: ${messageOf(error)}`;
    const remedy = left(possible ? "may still EXIST" : "EXISTS", created);
    const check = failed("key", detail, remedy, ...byId(error, settings, reading));
    return { outcome: possible ? "may exist" : "exists", explanation, check };
  }
  const where = describePlaces(explanation) || "as plain text";
  const check = ok("key", `One was made, recognised (${where}) and deleted again.`);
  return { outcome: "deleted", explanation, check };
}

/** Whether an operation that failed may have taken effect all the same. */
function mayHaveWorked(error: unknown): boolean {
  return !(error instanceof PartnerError) || error.effect !== "none";
}

/** Unlike for a key that has been in use, 404 is no sign that it is gone: it was made a moment ago. */
async function deleteAgain(
  client: PartnerClient,
  settings: Settings,
  { apiKey, keyId }: ReadKey,
): Promise<void> {
  const byId = settings.responses.apiKeyId !== undefined && keyId !== null;
  try {
    await client.deleteApiKey(byId ? keyId : apiKey);
  } catch (error) {
    if (!(error instanceof ApiStatusError && error.status === 410)) throw error;
  }
}

const AGAIN = "Then run this again.";

function left(verb: string, { createdAt, requestId }: CreatedKey): string {
  const request = requestId === null ? "" : ` (request id ${requestId})`;
  return `A key ${verb} at the service that nobody holds, made at ${createdAt}${request}: delete it there.`;
}

function byId(error: unknown, { responses }: Settings, { keyId }: ReadKey): string[] {
  const status = error instanceof ApiStatusError ? (error.status ?? 0) : 0;
  if (status < 400 || status >= 500 || keyId === null || responses.apiKeyId !== undefined) return [];
  return [
    "The response has an id beside the key: if the service deletes keys by it, set partners:responses.apiKeyId.",
  ];
}
