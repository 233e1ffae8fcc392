import type { Engine } from "./engine.ts";
import type { Services } from "./evidence.ts";
import type { Ledger } from "./ledger.ts";

/**
 * Does what the errors ask a person to do: a key whose response holds none of it is deleted at the service, and its
 * resource forgotten (`pulumi state delete`); a key that no stack knows of is looked for and deleted.
 */
export async function obeyRemedies(engine: Engine, services: Services, ledger: Ledger): Promise<void> {
  for (const entry of [...engine.entries]) {
    const service = services.get(entry.account);
    if (entry.kind !== "key" || entry.outputs["apiKey"] !== null || !service) continue;
    const key = ledger.keyOf.get(entry.id) ?? null;
    if (key !== null && service.bodyOf(key) === entry.outputs["response"]) continue; // "pulumi up" will find it.
    if (key !== null && service.sandbox.verify(key)) await service.revoke(key);
    engine.forget(entry);
  }
  for (const service of services.values()) {
    for (const key of service.sandbox.apiKeys) if (ledger.leaked.has(key)) await service.revoke(key);
  }
}
