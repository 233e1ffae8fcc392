import fc from "fast-check";
import { expect, it, vi } from "vitest";

import { runSeed } from "../../support/random.ts";
import { scaled } from "../../support/random.ts";
import { beginnings, lives } from "./lives.ts";
import { Model } from "./model.ts";
import { LifeFailed, pathAsked, reproduction } from "./reproduction.ts";
import { settle } from "./settle.ts";
import { World } from "./world.ts";

const DAY = 86_400_000;
/** Runs of Pulumi: a preview, an update, a refresh, a destruction. */
const RUNS = scaled(12_000);
/** Lives between looks at whether it was enough. */
const ROUND = 50;

it(
  `keeps program, state and services in agreement over ${RUNS} runs of Pulumi`,
  { timeout: 900_000 },
  async () => {
    const { now } = Date;
    const clock = vi.spyOn(Date, "now");
    const counts = { lives: 0, commands: 0, runs: 0, calls: 0, requests: 0, posts: 0 };
    const path = pathAsked();
    const property = fc.asyncProperty(beginnings, lives, async (beginning, life) => {
      const model = new Model(beginning.mapping, beginning.program);
      const world = await World.start(model, beginning);
      clock.mockImplementation(() => now() + world.days * DAY);
      try {
        for (const each of life) if (each.can(model)) await each.run(model, world);
        await settle(model, world);
      } catch (error) {
        throw new LifeFailed(world.story, error);
      } finally {
        counts.lives += 1;
        for (const name of ["commands", "runs"] as const) counts[name] += world.counts[name];
        for (const name of ["calls", "requests", "posts"] as const)
          counts[name] += world.observer.counts[name];
        await world.close();
      }
    });

    const started = performance.now();
    const enough = path === null ? RUNS : 1;
    for (let seed = runSeed(); counts.runs < enough; seed += 1) {
      const parameters = path === null ? { numRuns: ROUND } : { path, endOnFailure: true };
      const details = await fc.check(property, { seed, ...parameters });
      if (details.failed) throw reproduction(details);
    }
    const seconds = Math.round(performance.now() - started) / 1000;
    console.log(`lifecycle fuzz: ${JSON.stringify(counts)} in ${seconds} s`);
    expect(counts.runs).toBeGreaterThanOrEqual(enough);
  },
);
