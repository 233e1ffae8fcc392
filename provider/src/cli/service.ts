import { RequestError } from "../api/errors.js";
import { API_ROOT, OPERATIONS } from "../api/operations.js";
import { interpretResponses, type PartnerService, type WebhookList } from "../handlers/partner-service.js";
import { debugLog } from "../handlers/process.js";
import type { Settings } from "../handlers/settings.js";
import { mappingCommand } from "../hosts/messages.js";
import { nodesOf, pointersOf, type JsonObject } from "../json.js";
import { isScalar } from "../json.js";
import type { Stack } from "./pulumi-project.js";
import { check, type Check } from "./report.js";

/**
 * Lists the webhooks. This one request checks the address, the token, the shape of the response, and whether the webhooks that
 * the stack declares exist.
 *
 * @throws {PartnerError} if the list cannot be fetched.
 */
export async function checkService(settings: Settings, declared: Stack["declared"]): Promise<Check[]> {
  // Loaded on demand: undici does not load on an old Node, and main.ts must be able to report that.
  const { createClient } = await import("../api/client.js");
  const client = interpretResponses(
    createClient({ ...settings, ...debugLog(process.env) }),
    settings.responses,
  );
  const { method, template } = OPERATIONS.listWebhooks;
  const accepted = `${method} ${API_ROOT}${template} works: the access token is accepted.`;
  return [check("ok", "service", accepted), ...(await checkList(client, declared))];
}

async function checkList(client: PartnerService, declared: Stack["declared"]): Promise<Check[]> {
  try {
    const list = await client.listWebhooks();
    return [checkShape(list), checkWebhooks(list, declared)];
  } catch (error) {
    const cause = error instanceof RequestError ? error.failure.cause : null;
    if (cause?.kind !== "unreadableList" || cause.reading.reason === "not JSON") throw error;
    const { reading } = cause;
    const detail = `The list is not recognized. Set partners:responses.${reading.setting}.`;
    return [check("failed", "shape", detail, ...commandsFor(reading.setting, reading.candidates))];
  } finally {
    await client.close();
  }
}

function checkShape({ webhooks, complete, pointers }: WebhookList): Check {
  const where = describePointers(pointers);
  const [unknown, ...others] = [...webhooks.values()].filter(({ state }) => state === null);
  if (unknown !== undefined) {
    const count = `${others.length + 1} of ${webhooks.size} webhooks`;
    const detail = `${where} The state of ${count} is unknown, so their drift is not detected.`;
    const fields = `Fields of a webhook: ${listFields(unknown.record).join(", ")}`;
    return check("warning", "shape", detail, ...stateCommands(unknown.missing), fields);
  }
  if (!complete) {
    const detail = `${where} The list may be incomplete: webhooks missing from it cannot be managed.`;
    return check("warning", "shape", detail, "If the list is complete:", mappingCommand("complete", "true"));
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
  return found.length === 0 ? "Nothing to recognize." : `Found ${found.join(", ")}.`;
}

function stateCommands(missing: "webhookState" | "active" | null): string[] {
  if (missing !== "active") return commandsFor("webhookState", []);
  return [
    mappingCommand("active[0]", "<value that means active>"),
    mappingCommand("disabled[0]", "<value that means disabled>"),
  ];
}

function commandsFor(setting: string, candidates: readonly string[]): string[] {
  if (candidates.length === 0) return [mappingCommand(setting, "<JSON Pointer>")];
  const commands = candidates.map((pointer) => mappingCommand(setting, pointer));
  return commands.length === 1 ? commands : ["One of these is right:", ...commands];
}

/** Checks that the declared webhooks exist. Lists every webhook with its ID, its state, and the resources that declare it. */
function checkWebhooks({ webhooks, complete }: WebhookList, declared: Stack["declared"]): Check {
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
