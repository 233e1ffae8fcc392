import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { ROOT } from "../../../provider/tools/checkout.ts";
import type { Workflow } from "../../support/pipeline.ts";

const OWN = readdirSync(join(ROOT, ".github/workflows")).map((name) => `.github/workflows/${name}`);
const EXAMPLE = "examples/pipeline/.github/workflows/pulumi.yml";

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const readWorkflow = (file: string): Workflow => parse(read(file)) as Workflow;

it.each([...OWN, EXAMPLE])("%s pins its actions, and never runs a fork's code with secrets", (file) => {
  const uses = read(file).match(/(?<=uses: ).*/g) ?? [];
  expect(uses.length).toBeGreaterThan(0);
  for (const action of uses) expect(action).toMatch(/^(\.\/|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d)/);
  expect(read(file)).not.toMatch(/pull_request_target|workflow_run/);
});

it.each(OWN)("%s has only the permissions that it needs", (file) => {
  const text = read(file);
  // At most read access by default; a job that needs more declares it.
  expect(text).toMatch(/^permissions:( \{\}|\n {2}contents: read)\n\n/m);
  expect(text.match(/(\w[\w-]*): write/g) ?? []).toEqual(
    file.endsWith("release.yml") ? ["contents: write", "id-token: write"] : [],
  );
  expect(text.match(/actions\/checkout@/g)?.length).toBe(text.match(/persist-credentials: false/g)?.length);
});

it("the jobs that may publish run no code of the repository", () => {
  const jobs = Object.values(readWorkflow(".github/workflows/release.yml").jobs);
  const writing = jobs.filter(({ permissions = {} }) => Object.values(permissions).includes("write"));
  expect(writing).toHaveLength(2);
  const used = writing.flatMap(({ steps }) => steps.map(({ uses = "", run = "" }) => uses + run)).join("\n");
  expect(used).not.toMatch(/actions\/checkout|\b(npm (ci|i|install|run|pack)|npx|node)(\s|$)/m);
});

describe("the example workflow", () => {
  const workflow = readWorkflow(EXAMPLE);
  const jobs = Object.entries(workflow.jobs).map(([name, job]) => ({ name, job }));

  it("previews pull requests from its own branches, and prints a notice for others", () => {
    const own = "github.event.pull_request.head.repo.full_name == github.repository";
    expect(workflow.jobs["preview"]?.if).toContain(`${own} && github.actor != 'dependabot[bot]'`);
    const none = workflow.jobs["no-preview"];
    expect(none?.if).toContain(`(${own.replace("==", "!=")} || github.actor == 'dependabot[bot]')`);
  });

  it("changes a stack with one job at a time, never cancels a running one, and interrupts an update before GitHub kills it", () => {
    const updateLimit = Number(/UP_TIME_LIMIT:-(\d+)m/.exec(read("examples/pipeline/ci/up.sh"))?.[1]);
    for (const name of ["nightly", "task", "up"]) {
      const job = workflow.jobs[name];
      expect(job?.concurrency).toEqual({ group: "pulumi-production", "cancel-in-progress": false });
      expect(job?.["timeout-minutes"]).toBeGreaterThanOrEqual(2 * updateLimit);
    }
  });

  it.each(jobs)(
    "$name has a time limit, and only the permissions and secrets that it needs",
    ({ name, job }) => {
      expect(job["timeout-minutes"]).toBeLessThanOrEqual(60);
      expect(workflow.permissions).toEqual({});
      const write = Object.entries(job.permissions ?? {}).filter(([, access]) => access !== "read");
      expect(write).toEqual(name === "preview" ? [["pull-requests", "write"]] : []);

      // Secrets only in an environment, and only in the steps that use them.
      const { steps, ...rest } = job;
      expect(JSON.stringify([workflow.env, rest])).not.toMatch(/secrets\.|github\.token/);
      const secret = steps.filter(({ env, with: inputs }) => /secrets\./.test(JSON.stringify([env, inputs])));
      for (const { run } of secret) expect(run).toMatch(/^(pulumi login |ci\/(preview|up|drift|task)\.sh)/);
      if (secret.length > 0) expect(job.environment).toMatch(/^(preview|production)$/);
      // The value of an expression in a script could become a command.
      for (const { run = "" } of steps) expect(run).not.toContain("${{");
    },
  );
});
