import fc from "fast-check";
import { expect, it } from "vitest";

import type { KeyAlphabet } from "../../../provider/src/sandbox/index.js";
import { runSeed } from "../../support/random.ts";
import { scaled } from "../../support/scale.ts";
import { shapes } from "../loss/arbitraries.ts";
import type { ServiceOptions } from "../loss/service.ts";
import { engineCommands } from "./engine-commands.ts";
import { Model, WEBHOOKS } from "./model.ts";
import { programCommands } from "./program-commands.ts";
import { configurationCommands, driftCommands, weatherCommands } from "./service-commands.ts";
import { settle } from "./settle.ts";
import { World } from "./world.ts";

const OPERATIONS = scaled(10_000);
/** Runs of fast-check between looks at whether it was enough. */
const ROUND = 50;

const services: fc.Arbitrary<ServiceOptions> = fc.record({
  shape: shapes,
  keyAlphabet: fc.constantFrom<KeyAlphabet[]>("base64url", "hostile"),
  strangers: fc.constantFrom(0, 1),
  webhooks: fc.constant(WEBHOOKS.map((webhookId) => ({ webhookId, state: "active" as const }))),
});

const accounts = fc.record({ default: services, eu: services });

/** Nobody sets a mapping before it is missed. */
const mappings = fc.constantFrom("right" as const, "none" as const);

// Each list more than once where its commands are to come more often.
const lives = fc.commands(
  [
    ...[...programCommands, ...programCommands, ...engineCommands, ...engineCommands],
    ...[...driftCommands, ...driftCommands, ...weatherCommands, ...weatherCommands, ...configurationCommands],
  ],
  { maxCommands: 60, size: "max" },
);

it(
  `keeps model, state and services in agreement over ${OPERATIONS} operations`,
  { timeout: 900_000 },
  async () => {
    const counts = { lives: 0, operations: 0, calls: 0, requests: 0, posts: 0, leaked: 0 };
    const property = fc.asyncProperty(
      accounts,
      mappings,
      fc.nat(),
      lives,
      async (services, mapping, jitter, life) => {
        const model = new Model(mapping);
        const world = await World.start(model, services, jitter);
        try {
          await fc.asyncModelRun(() => ({ model, real: world }), life);
          counts.leaked += world.observer.ledger.leaked.size;
          await settle(model, world);
        } finally {
          counts.lives += 1;
          counts.operations += world.operations;
          for (const name of ["calls", "requests", "posts"] as const)
            counts[name] += world.observer.counts[name];
          await world.close();
        }
      },
    );

    const started = performance.now();
    for (let seed = runSeed(); counts.operations < OPERATIONS; seed += 1) {
      await fc.assert(property, { seed, numRuns: ROUND });
    }
    console.log(
      `lifecycle fuzz: ${JSON.stringify(counts)} in ${Math.round(performance.now() - started) / 1000} s`,
    );
    expect(counts.operations).toBeGreaterThanOrEqual(OPERATIONS);
  },
);
