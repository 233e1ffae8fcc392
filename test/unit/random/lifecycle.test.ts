import fc from "fast-check";
import { expect, it } from "vitest";

import { runSeed, scaled } from "../../support/random.ts";
import { lives } from "./events.ts";
import { Life } from "./life.ts";
import { MAPPINGS, type ServiceShape } from "./service.ts";

const LIVES = scaled(250);
const shapes = fc.constantFrom(...(Object.keys(MAPPINGS) as ServiceShape[]));

it(
  `program, state and service agree in ${LIVES} random lives of a stack`,
  { timeout: 1_800_000 },
  async () => {
    let creations = 0;
    const property = fc.asyncProperty(shapes, lives, async (shape, events) => {
      const life = await Life.start(shape);
      try {
        for (const event of events) await life.live(event);
        await life.settle();
      } finally {
        creations += life.service.issued.size;
        await life.service.sandbox.close();
      }
    });
    // The timeout is for one life, in real milliseconds, even on a busy machine.
    await fc.assert(property, { seed: runSeed(), numRuns: LIVES, timeout: 60_000 });
    expect(creations).toBeGreaterThan(LIVES); // Otherwise the run tested nothing.
  },
);
