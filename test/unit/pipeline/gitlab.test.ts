import { join } from "node:path";
import { expect, it } from "vitest";

import { ROOT } from "../../../provider/tools/checkout.ts";
import { gitLabPipeline } from "../../support/pipeline.ts";
import { LONG } from "../../support/random.ts";

const FILE = join(ROOT, "examples/pipeline/.gitlab-ci.yml");

/** Each pipeline needs two slow runs of gitlab-ci-local. */
const LIMIT = { timeout: 60_000 };
const CASES = [
  { source: "merge_request_event", from: "stranger/stack", running: ["no-preview"] },
  { source: "merge_request_event", from: "team/stack", running: ["preview"] },
  { source: "schedule", from: "", running: ["nightly"] },
  { source: "web", from: "", running: ["task"] },
];

// A short run proves only that forks get no secrets.
it.each(LONG ? CASES : CASES.slice(0, 1))(
  "$source $from runs $running",
  LIMIT,
  async ({ source, from, running }) => {
    const variables = { CI_PIPELINE_SOURCE: source, CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: from };
    expect((await gitLabPipeline(FILE, variables)).running).toEqual(running);
  },
);

it(
  "changes a stack with one job at a time, never cancels a running one, and limits every job",
  LIMIT,
  async () => {
    const { jobs, running } = await gitLabPipeline(FILE, { CI_PIPELINE_SOURCE: "push" });
    expect(running).toEqual(["up"]);
    for (const name of ["up", "nightly", "task"]) {
      expect(jobs[name]).toMatchObject({
        resource_group: "pulumi-production",
        interruptible: false,
        environment: "production",
      });
    }
    const limits = Object.values(jobs).map(({ timeout }) => timeout);
    expect(limits).toEqual(["15 minutes", "5 minutes", "40 minutes", "60 minutes", "40 minutes"]);
  },
);
