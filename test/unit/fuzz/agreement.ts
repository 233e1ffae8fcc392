import type { Engine } from "../loss/engine.ts";
import { Violation, type Services } from "../loss/evidence.ts";
import type { Program } from "../loss/stack-state.ts";

/** After an update that succeeded, the state says what the program says. @throws {Violation} */
export function assertState(program: Program, engine: Engine): void {
  if (engine.entries.length !== program.size)
    throw new Violation("the state has more or less than the program");
  for (const [name, { kind, account, args }] of program) {
    const entry = engine.live(name);
    if (entry?.account !== account) throw new Violation(`${name} is not in its account`);
    const { apiKey, webhookId, state } = entry.outputs;
    if (kind === "key" && typeof apiKey !== "string") throw new Violation(`${name} has no key`);
    if (kind === "webhook" && (webhookId !== args["webhookId"] || state !== args["state"]))
      throw new Violation(`${name} is in state as something else than it is declared`);
  }
}

/** If nobody interfered, webhooks are as the program says. @throws {Violation} */
export function assertServices(program: Program, services: Services): void {
  for (const [name, { kind, account, args }] of program) {
    const state = services.get(account)?.sandbox.webhooks.get(Number(args["webhookId"]));
    if (kind === "webhook" && state !== args["state"])
      throw new Violation(`${name} is ${state ?? "missing"} and not as declared`);
  }
}
