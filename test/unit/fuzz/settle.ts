import { Violation } from "../loss/evidence.ts";
import { obeyRemedies } from "../loss/remedies.ts";
import { assertServices, assertState } from "./agreement.ts";
import { NO_WEBHOOK, WEBHOOKS, type Model } from "./model.ts";
import { assertInTime } from "./rotation-rules.ts";
import type { World } from "./world.ts";

/**
 * Lets all be well again and the person do what errors asked for: the stack must then become what the program says, stay
 * so without another request, and leave nothing behind when it is destroyed. @throws {Violation}
 */
export async function settle(model: Model, world: World): Promise<void> {
  const { engine, observer, services } = world;
  world.story.push("all is well again, and errors are heeded");
  model.settings.clear();
  for (const { sandbox } of services.values()) {
    for (const id of WEBHOOKS) if (!sandbox.webhooks.has(id)) sandbox.addWebhook(id, "active");
  }
  for (const service of services.values()) service.calm();
  for (const [name, { args }] of model.program)
    if (args["webhookId"] === NO_WEBHOOK) model.program.delete(name);
  await obeyRemedies(engine, services, observer.ledger);

  await world.must("up", () => engine.up(model.program, { refresh: true }));
  assertState(model.program, engine);
  assertServices(model.program, services);
  await finish(model, world);
  assertInTime(model.program, engine.entries, Date.now());
  const { requests } = observer.counts;
  await world.must("an unchanged up", () => engine.up(model.program));
  if (observer.counts.requests > requests) throw new Violation("an unchanged stack costs requests");
  const before = JSON.stringify(engine.entries);
  await world.must("refresh", () => engine.refresh());
  if (JSON.stringify(engine.entries) !== before) throw new Violation("a refresh sees a drift that is none");

  await world.must("destroy", () => engine.destroy());
  assertState(new Map(), engine);
  for (const [account, { sandbox, strangers }] of services) {
    if (sandbox.apiKeys.length > strangers.size) throw new Violation(`a key is left in ${account}`);
  }
}

/** One thing is done at a time to a key that was rotated, so it may take some updates until nothing is left to do. */
async function finish({ program }: Model, world: World): Promise<void> {
  for (let left = 3; left > 0; left -= 1) {
    const { steps } = await world.must("another up", () => world.engine.up(program));
    if (steps === 0) return;
  }
  throw new Violation("an unchanged stack is changed again and again");
}
