import { RequestError } from "../api/errors.js";
import { API_ROOT, OPERATIONS } from "../api/operations.js";
import { debugLog, interpretResponses, type PartnerService } from "../handlers/process.js";
import type { Settings } from "../handlers/settings.js";
import type { WebhookList } from "../handlers/webhook-registry.js";
import { mappingCommand, type MessageContext } from "../hosts/messages.js";
import { isScalar, nodesOf, pointersOf, type JsonObject } from "../json.js";
import { check, type Check } from "./report.js";
import type { ResponseMapping } from "../responses/mapping.js";
import type { Account } from "./stack-state.js";

/**
 * Lists the webhooks. This one request checks the address, the token, the shape of the response, and whether the webhooks that
 * the stack declares exist.
 *
 * @throws {PartnerError} if the list cannot be fetched.
 */
export async function checkService(
  settings: Settings,
  declared: Account["declared"],
  context: MessageContext,
): Promise<Check[]> {
  // Loaded on demand: undici does not load on an old Node, and main.ts must be able to report that.
  const { createClient } = await import("../api/client.js");
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const requests = createClient({ ...settings, ...debugLog(process.env, log) });
  const client = interpretResponses(requests, settings.responses);
  const { method, template } = OPERATIONS.listWebhooks;
  const accepted = `${method} ${API_ROOT}${template} works: the access token is accepted.`;
  return [check("ok", "service", accepted), ...(await checkList(client, declared, context))];
}

async function checkList(
  client: PartnerService,
  declared: Account["declared"],
  context: MessageContext,
): Promise<Check[]> {
  try {
    const list = await client.listWebhooks();
    return [checkShape(list, context), checkWebhooks(list, declared)];
  } catch (error) {
    const cause = error instanceof RequestError ? error.failure.cause : null;
    if (cause?.kind !== "unreadableList" || cause.reading.reason === "not JSON") throw error;
    const { reading } = cause;
    const detail = `The list is not recognized. Set responses.${reading.setting}.`;
    const candidates = reading.candidates.length > 0 ? reading.candidates : [POINTER];
    const choices = candidates.flatMap((pointer) => remedies({ [reading.setting]: pointer }, context));
    const lines = choices.length > 1 ? ["One of these is right:", ...choices] : choices;
    return [check("failed", "shape", detail, ...lines)];
  } finally {
    await client.close();
  }
}

function checkShape({ webhooks, complete, pointers }: WebhookList, context: MessageContext): Check {
  const where = describePointers(pointers);
  const [unknown, ...others] = [...webhooks.values()].filter(({ state }) => state === null);
  if (unknown !== undefined) {
    const count = `${others.length + 1} of ${webhooks.size} webhooks`;
    const detail = `${where} The state of ${count} is unknown, so their drift is not detected.`;
    const mapping =
      unknown.missing === "active"
        ? { active: ["<value that means active>"], disabled: ["<value that means disabled>"] }
        : { webhookState: POINTER };
    const fields = `Fields of a webhook: ${listFields(unknown.record).join(", ")}`;
    return check("warning", "shape", detail, ...remedies(mapping, context), fields);
  }
  if (!complete) {
    const detail = `${where} The list may be incomplete: webhooks missing from it cannot be managed.`;
    return check(
      "warning",
      "shape",
      detail,
      "If the list is complete:",
      ...remedies({ complete: true }, context),
    );
  }
  return check("ok", "shape", webhooks.size === 0 ? `${where} The list is empty.` : where);
}

/** Returns the JSON Pointers of the scalars in a record, relative to the record; at most 40. */
export function listFields(record: JsonObject): string[] {
  return pointersOf(
    nodesOf(record).filter(({ value }) => isScalar(value)),
    40,
  );
}

/** Describes the pointers, as in `Found webhookId at "/id", webhookState at "/state".` */
function describePointers(pointers: WebhookList["pointers"]): string {
  const found = Object.entries(pointers).map(([name, pointer]) => `${name} at ${JSON.stringify(pointer)}`);
  return found.length === 0 ? "The list has no values to locate." : `Found ${found.join(", ")}.`;
}

const POINTER = "<JSON Pointer>";

/** Returns what to set: a `Provider` argument, or commands. */
function remedies(mapping: ResponseMapping, { explicit }: MessageContext): string[] {
  if (explicit) return [`responses: ${JSON.stringify(mapping)}`];
  return Object.entries(mapping).map(([name, value]: [string, unknown]) =>
    Array.isArray(value)
      ? mappingCommand(`${name}[0]`, String(value[0]))
      : mappingCommand(name, String(value)),
  );
}

/** Checks that the declared webhooks exist. Lists every webhook with its ID, its state, and the resources that declare it. */
function checkWebhooks({ webhooks, complete }: WebhookList, declared: Account["declared"]): Check {
  const ids = [...new Set([...webhooks.keys(), ...declared.keys()])].sort((a, b) => a - b);
  const width = String(ids.at(-1)).length;
  const table = ids.map((webhookId) => {
    const webhook = webhooks.get(webhookId);
    const state = webhook === undefined ? "missing" : (webhook.state ?? "unknown");
    const declarers = declared.get(webhookId)?.join(", ") ?? "-";
    return `${String(webhookId).padEnd(width)}  ${state.padEnd("disabled".length)}  ${declarers}`;
  });
  const count = `${webhooks.size} on the server, ${declared.size} declared in this stack`;
  const missing = [...declared.keys()].filter((webhookId) => !webhooks.has(webhookId));
  if (missing.length === 0) return check("ok", "webhooks", `${count}.`, ...table);
  const detail = `${count}; declared but not in the list: ${missing.join(", ")}.`;
  return complete
    ? check("failed", "webhooks", detail, "Correct webhookId, or create the webhook on the server.", ...table)
    : check("warning", "webhooks", detail, "They may be on another page of the list.", ...table);
}
