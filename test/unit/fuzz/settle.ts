import { Violation } from "../loss/evidence.ts";
import { obeyRemedies } from "../loss/remedies.ts";
import { NO_WEBHOOK, WEBHOOKS, type Model } from "./model.ts";
import type { World } from "./world.ts";

/**
 * Lets all be well again and the person do what errors asked for: the stack must then become what the program says, stay
 * so without another request, and leave nothing behind when it is destroyed. @throws {Violation}
 */
export async function settle(model: Model, world: World): Promise<void> {
  const { engine, observer, services } = world;
  model.settings.clear();
  for (const { sandbox } of services.values()) {
    for (const id of WEBHOOKS) if (!sandbox.webhooks.has(id)) sandbox.addWebhook(id, "active");
  }
  for (const service of services.values()) service.calm();
  for (const [name, { args }] of model.program)
    if (args["webhookId"] === NO_WEBHOOK) model.program.delete(name);
  await obeyRemedies(engine, services, observer.ledger);

  await world.must("up", () => engine.up(model.program, { refresh: true }));
  assertAsDeclared(model, world);
  const { requests } = observer.counts;
  const { steps } = await world.must("an unchanged up", () => engine.up(model.program));
  if (steps > 0) throw new Violation("an unchanged stack is changed");
  if (observer.counts.requests > requests) throw new Violation("an unchanged stack costs requests");
  const before = JSON.stringify(engine.entries);
  await world.must("refresh", () => engine.refresh());
  if (JSON.stringify(engine.entries) !== before) throw new Violation("a refresh sees a drift that is none");

  await world.must("destroy", () => engine.destroy());
  if (engine.entries.length > 0) throw new Violation("a destroyed stack is not empty");
  for (const [account, { sandbox, strangers }] of services) {
    if (sandbox.apiKeys.length > strangers.size) throw new Violation(`a key is left in ${account}`);
  }
}

function assertAsDeclared({ program }: Model, { engine, services }: World): void {
  if (engine.entries.length !== program.size)
    throw new Violation("the state has more or less than the program");
  for (const [name, { kind, account, args }] of program) {
    const outputs = engine.live(name)?.outputs;
    if (kind === "key" && typeof outputs?.["apiKey"] !== "string") throw new Violation(`${name} has no key`);
    const state = services.get(account)?.sandbox.webhooks.get(Number(args["webhookId"]));
    if (kind === "webhook" && state !== args["state"])
      throw new Violation(`${name} is ${state ?? "missing"} and not as declared`);
  }
}
