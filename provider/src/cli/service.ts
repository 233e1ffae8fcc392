import { RequestError } from "../api/errors.js";
import type { PartnerClient, WebhookList } from "../api/client.js";
import { API_ROOT, OPERATIONS } from "../api/operations.js";
import type { Settings } from "../handlers/settings.js";
import { mappingCommand, renderError } from "../hosts/messages.js";
import { describeStructure } from "../responses/structure.js";
import { alignColumns, failed, ok, warning, type Check } from "./report.js";

/** What one request shows about the service. */
export interface ServiceReport {
  readonly checks: readonly Check[];
  /** The webhook list; `null` if it could not be read. */
  readonly list: WebhookList | null;
  /** The names and types in what was not recognised; empty where everything was. */
  readonly structure: readonly string[];
}

/** Lists the webhooks, and checks by that one request the address, the token and the shape of the response. */
export async function examineService(settings: Settings): Promise<ServiceReport> {
  let client: PartnerClient | null = null;
  try {
    // Loaded late: undici fails to load in a Node that is too old, and main.ts has to be able to say so.
    const { createClient } = await import("../api/client.js");
    client = createClient({ ...settings, ...debugLog() });
    const list = await client.listWebhooks();
    const unknown = [...list.webhooks.values()].find(({ state }) => state === null);
    const structure = unknown === undefined ? [] : describeStructure(JSON.stringify(unknown.record));
    return { checks: [accepted(), checkShape(list)], list, structure };
  } catch (error) {
    const cause = error instanceof RequestError ? error.failure.cause : null;
    if (cause?.kind !== "unreadableList" || cause.reading.reason === "not JSON") {
      const service = failed("service", renderError(error, { explicit: false }));
      return { checks: [service], list: null, structure: [] };
    }
    const { reading, body } = cause;
    const detail = `The list is not recognised. Set partners:responses.${reading.setting}.`;
    const shape = failed("shape", detail, ...commandsFor(reading.setting, reading.candidates));
    return { checks: [accepted(), shape], list: null, structure: describeStructure(body) };
  } finally {
    await client?.close();
  }
}

function debugLog(): { log: (line: string) => void } | null {
  if (process.env["PARTNERS_DEBUG"] !== "1") return null;
  return { log: (line) => void process.stderr.write(`${line}\n`) };
}

function accepted(): Check {
  const { method, template } = OPERATIONS.listWebhooks;
  return ok("service", `${method} ${API_ROOT}${template} works: the access token is accepted.`);
}

function checkShape({ webhooks, complete, places }: WebhookList): Check {
  const where = describePlaces(places);
  const unknown = [...webhooks.values()].filter(({ state }) => state === null);
  if (unknown.length > 0) {
    const detail = `${where} The state of ${unknown.length} of ${webhooks.size} webhooks is unknown, so drift of these is not detected.`;
    return warning("shape", detail, ...stateCommands(unknown[0]?.missing ?? null));
  }
  if (!complete) {
    const detail = `${where} The list may be incomplete: webhooks that are not in it cannot be managed.`;
    return warning("shape", detail, `If the list is complete: ${mappingCommand("complete", "true")}`);
  }
  return ok("shape", webhooks.size === 0 ? `${where} The list is empty.` : where);
}

/** As `Found webhookId at "/id", webhookState at "/state".` */
function describePlaces(places: WebhookList["places"]): string {
  const found = Object.entries(places).map(([name, pointer]) => `${name} at ${JSON.stringify(pointer)}`);
  return found.length === 0 ? "Nothing to recognise." : `Found ${found.join(", ")}.`;
}

function stateCommands(missing: "webhookState" | "active" | null): string[] {
  if (missing === null) return [];
  if (missing === "webhookState") return commandsFor(missing, []);
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

/** Resources by the id of the webhook that they declare. */
export type DeclaredWebhooks = ReadonlyMap<number, readonly string[]>;

/** Checks that the webhooks that the stack declares exist. */
export function checkWebhooks({ webhooks, complete }: WebhookList, declared: DeclaredWebhooks): Check {
  const count = `${webhooks.size} on the server`;
  if (declared.size === 0) return ok("webhooks", `${count}.`);
  const missing = [...declared.keys()].filter((webhookId) => !webhooks.has(webhookId));
  if (missing.length === 0) return ok("webhooks", `${count}, ${declared.size} declared in this stack.`);
  const detail = `${count}; declared in this stack but not in the list: ${missing.join(", ")}.`;
  if (!complete) return warning("webhooks", detail, "They may be on another page of the list.");
  const remedy = "Correct webhookId in the program, or create the webhook on the server.";
  return failed("webhooks", detail, remedy);
}

/** The webhooks of the server and of the stack as a table. */
export function webhookTable({ webhooks }: WebhookList, declared: DeclaredWebhooks): string[] {
  const ids = [...new Set([...webhooks.keys(), ...declared.keys()])].sort((a, b) => a - b);
  const rows = ids.map((webhookId) => {
    const webhook = webhooks.get(webhookId);
    const state = webhook === undefined ? "missing" : (webhook.state ?? "unknown");
    return [String(webhookId), state, declared.get(webhookId)?.join(", ") ?? "-"];
  });
  return alignColumns([["ID", "STATE", "DECLARED BY"], ...rows]);
}
