import type { Engine } from "./engine.ts";
import type { Services } from "./evidence.ts";
import { heldIn } from "./held.ts";
import type { Ledger } from "./ledger.ts";
import type { Service } from "./service.ts";
import type { Entry } from "./stack-state.ts";

/**
 * Does what the errors ask a person to do: where a response holds no key, the keys are deleted at the service and the
 * resource is forgotten (`pulumi state delete`); a key that no stack knows of is looked for and deleted.
 */
export async function obeyRemedies(engine: Engine, services: Services, ledger: Ledger): Promise<void> {
  for (const entry of [...engine.entries]) {
    const service = services.get(entry.account);
    if (entry.kind !== "key" || entry.awaitsReplacement || !service) continue;
    const keys = ledger.keysIn(entry);
    if (!isStuck(entry, keys, service)) continue;
    for (const key of keys) if (service.sandbox.verify(key)) await service.revoke(key);
    engine.forget(entry);
  }
  const held = new Set(engine.entries.flatMap((entry) => ledger.keysIn(entry)));
  for (const service of services.values()) {
    for (const key of service.sandbox.apiKeys)
      if (ledger.leaked.has(key) && !held.has(key)) await service.revoke(key);
  }
}

/** Whether an answer is kept that broke off, or was none: "pulumi up" and "pulumi destroy" can do nothing about that. */
function isStuck({ outputs }: Entry, keys: readonly string[], service: Service): boolean {
  const { unread } = heldIn(outputs);
  return unread !== null && !keys.some((key) => unread === service.bodyOf(key));
}
