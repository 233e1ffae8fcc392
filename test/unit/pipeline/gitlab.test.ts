import { join } from "node:path";
import { expect, it } from "vitest";

import { gitLabPipeline } from "../../support/pipeline.ts";
import { LONG } from "../../support/random.ts";

const FILE = join(import.meta.dirname, "../../../examples/pipeline/.gitlab-ci.yml");

/** Each pipeline is two runs of gitlab-ci-local. */
const LIMIT = { timeout: 60_000 };
const RUNNING = [
  { source: "merge_request_event", from: "stranger/stack", running: ["no-preview"] },
  { source: "merge_request_event", from: "team/stack", running: ["preview"] },
  { source: "schedule", from: "", running: ["nightly"] },
  { source: "web", from: "", running: ["task"] },
];

// That strangers get no secrets is held in every run.
it.each(LONG ? RUNNING : RUNNING.slice(0, 1))(
  "$source $from runs $running",
  LIMIT,
  async ({ source, from, running }) => {
    const variables = { CI_PIPELINE_SOURCE: source, CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: from };
    expect((await gitLabPipeline(FILE, variables)).running).toEqual(running);
  },
);

it(
  "changes a stack by one job at a time, cancels none that runs, and limits the time of all",
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
    expect(Object.values(jobs).map(({ timeout }) => timeout)).toEqual([
      "15 minutes",
      "5 minutes",
      "40 minutes",
      "60 minutes",
      "40 minutes",
    ]);
  },
);
