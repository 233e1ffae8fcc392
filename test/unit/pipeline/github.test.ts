import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

import { ROOT } from "../../../provider/tools/checkout.ts";

/** The parts of a workflow that these tests read. */
interface Workflow {
  readonly permissions: object;
  readonly env: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: object;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly env?: object }[];
}

const OWN = readdirSync(join(ROOT, ".github/workflows")).map((name) => `.github/workflows/${name}`);
const EXAMPLES = ["examples/pipeline", "examples/pipeline-yaml"];
const WORKFLOW = ".github/workflows/pulumi.yml";

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const readWorkflow = (file: string): Workflow => parse(read(file)) as Workflow;

it.each([...OWN, ...EXAMPLES.map((example) => `${example}/${WORKFLOW}`)])(
  "%s pins its actions, and never runs a fork's code with secrets",
  (file) => {
    const uses = read(file).match(/(?<=uses: ).*/g) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(action).toMatch(/^(\.\/|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d)/);
    expect(read(file)).not.toMatch(/pull_request_target|workflow_run/);
  },
);

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

it.each(EXAMPLES)(
  "%s changes a stack with one job at a time, never killed in the middle of an update",
  (example) => {
    const updateLimit = Number(/UP_TIME_LIMIT:-(\d+)m/.exec(read("examples/pipeline/ci/up.sh"))?.[1]);
    const { jobs } = readWorkflow(`${example}/${WORKFLOW}`);
    for (const name of ["nightly", "task", "up"]) {
      const concurrency = { group: "pulumi-production", "cancel-in-progress": false };
      expect(jobs[name], name).toMatchObject({ concurrency, environment: "production" });
      expect(jobs[name]?.["timeout-minutes"], name).toBeGreaterThanOrEqual(2 * updateLimit);
    }
  },
);

it.each(EXAMPLES)("%s gives secrets only to the steps that use them", (example) => {
  const { jobs, ...shared } = readWorkflow(`${example}/${WORKFLOW}`);
  expect(shared.permissions).toEqual({});
  const account = jobs["up"]?.steps.at(-1)?.env;
  for (const [name, { steps, ...job }] of Object.entries(jobs)) {
    expect(JSON.stringify([shared.env, job]), name).not.toMatch(/secrets\.|github\.token/);
    const { "pull-requests": comment, ...permissions } = job.permissions ?? {};
    expect(comment, name).toBe(name === "preview" ? "write" : undefined);
    expect(Object.values(permissions), name).not.toContain("write");
    for (const { run = "", env, ...step } of steps) {
      const usesAccount = /^(pulumi login |ci\/(preview|up|drift|task)\.sh)/.test(run);
      if (usesAccount) expect([env, typeof job.environment], run).toEqual([account, "string"]);
      else expect(JSON.stringify([env, step]), run).not.toContain("secrets.");
      expect(run).not.toContain("${{"); // The value of an expression in a script could become a command.
    }
  }
});
