import fc from "fast-check";
import { expect, it } from "vitest";

import { runSeed, scaled } from "../../support/random.ts";
import { lives, World } from "./life.ts";
import { shapes } from "./service.ts";

const LIVES = scaled(250);

it(
  `keeps program, state and service in agreement in ${LIVES} random lives of a stack`,
  { timeout: 1_800_000 },
  async () => {
    let creations = 0;
    const property = fc.asyncProperty(shapes, fc.nat(), lives, async (shape, jitter, life) => {
      const world = await World.start(shape, jitter);
      try {
        for (const event of life) await world.live(event);
        await world.settle();
      } finally {
        creations += world.creations;
        await world.close();
      }
    });
    // In real milliseconds, which a life must not exceed even on a busy machine.
    await fc.assert(property, { seed: runSeed(), numRuns: LIVES, timeout: 60_000 });
    expect(creations).toBeGreaterThan(LIVES); // A run that tests nothing must not look like a success.
  },
);
