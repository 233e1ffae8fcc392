import fc from "fast-check";
import { expect, it } from "vitest";

import { runSeed, scaled } from "../../support/random.ts";
import { Counts, lives, World } from "./life.ts";
import { shapes } from "./service.ts";

const LIVES = scaled(250);
/** The path that a failed run prints, to repeat only its failure; together with its `PARTNERS_TEST_SEED`. */
const PATH = process.env["PARTNERS_TEST_PATH"];

it(
  `keeps program, state and service in agreement in ${LIVES} random lives of a stack`,
  { timeout: 1_800_000 },
  async () => {
    const counts = new Counts();
    const started = performance.now();
    const property = fc.asyncProperty(shapes, fc.nat(), lives, async (shape, jitter, life) => {
      const world = await World.start(shape, jitter, counts);
      try {
        for (const event of life) await world.live(event);
        await world.settle();
      } catch (error) {
        throw new Error(`${String(error)}\n${world.story}`, { cause: error });
      } finally {
        await world.close();
      }
    });
    const repeat = PATH === undefined ? {} : { path: PATH, endOnFailure: true };
    await fc.assert(property, { seed: runSeed(), numRuns: LIVES, ...repeat });
    console.log(`${LIVES} lives, ${Math.round(performance.now() - started)} ms: ${JSON.stringify(counts)}`);
    expect(counts.creations).toBeGreaterThan(0);
  },
);
