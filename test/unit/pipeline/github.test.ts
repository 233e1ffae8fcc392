import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { readWorkflow, type Job, type Workflow } from "../../support/pipeline.ts";

const FILE = join(import.meta.dirname, "../../../examples/pipeline/.github/workflows/pulumi.yml");
const text = await readFile(FILE, "utf8");
const workflow: Workflow = await readWorkflow(FILE);
const jobs = Object.entries(workflow.jobs).map(([name, job]) => ({ name, job }));

/** The jobs that may change the stack or the service. */
const CHANGING = ["nightly", "task", "up"];

it("runs on pull requests, on pushes to main, every night and by hand, and never with a fork's code and our secrets", () => {
  expect(Object.keys(workflow.on).sort()).toEqual(["pull_request", "push", "schedule", "workflow_dispatch"]);
  expect(workflow.on["push"]).toEqual({ branches: ["main"] });
  expect(text).not.toMatch(/pull_request_target|workflow_run/);
});

it("previews our own pull requests and says so where it does not", () => {
  const own = "github.event.pull_request.head.repo.full_name == github.repository";
  expect(workflow.jobs["preview"]?.if).toContain(`${own} && github.actor != 'dependabot[bot]'`);
  const none = workflow.jobs["no-preview"];
  expect(none?.if).toContain(`(${own.replace("==", "!=")} || github.actor == 'dependabot[bot]')`);
  expect(none?.steps.map(({ run }) => run).join()).toMatch(/^echo "::notice .*get no secrets\./);
});

it("pins every action to a commit and names its version", () => {
  const uses = text.match(/uses: .*/g) ?? [];
  expect(uses).toHaveLength(3);
  for (const line of uses) expect(line).toMatch(/^uses: [a-z]+\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

it.each(jobs)("$name: a time limit, and no more permissions than it needs", ({ name, job }) => {
  expect(job["timeout-minutes"]).toBeLessThanOrEqual(60);
  expect(workflow.permissions).toEqual({});
  const wanted = { preview: { contents: "read", "pull-requests": "write" }, "no-preview": undefined };
  expect(job.permissions).toEqual(
    name in wanted ? wanted[name as keyof typeof wanted] : { contents: "read" },
  );
});

it("changes a stack by one job at a time, and cancels none that runs", () => {
  const groups = Object.fromEntries(jobs.map(({ name, job }) => [name, job.concurrency]));
  const stack = { group: `pulumi-${workflow.env["PULUMI_STACK"] ?? ""}`, "cancel-in-progress": false };
  expect(groups).toEqual({
    preview: { group: "preview-${{ github.event.pull_request.number }}", "cancel-in-progress": true },
    "no-preview": undefined,
    ...Object.fromEntries(CHANGING.map((name) => [name, stack])),
  });
});

it.each(jobs)("$name: secrets only with an environment, and only for the steps that need them", ({ job }) => {
  const { steps, ...rest } = job;
  expect(JSON.stringify([workflow.env, rest])).not.toMatch(/secrets\.|github\.token/);
  const secret = steps.filter(({ env, with: inputs }) => /secrets\./.test(JSON.stringify([env, inputs])));
  expect(secret.every(({ run }) => /^(pulumi login |ci\/(preview|up|drift|task)\.sh)/.test(run ?? ""))).toBe(
    true,
  );
  if (secret.length > 0) expect(job.environment).toMatch(/^(preview|production)$/);
});

it.each(jobs)("$name: no expression in a script, where a value could become a command", ({ job }) => {
  for (const { run } of job.steps) expect(run ?? "").not.toContain("${{");
});

it("gives up on a run before GitHub kills it", async () => {
  const script = await readFile(join(FILE, "../../../ci/up.sh"), "utf8");
  const limit = Number(/UP_TIME_LIMIT:-(\d+)m/.exec(script)?.[1]);
  expect(limit).toBeGreaterThan(0);
  const changing: readonly Job[] = jobs.flatMap(({ name, job }) => (CHANGING.includes(name) ? job : []));
  for (const job of changing) expect(job["timeout-minutes"]).toBeGreaterThanOrEqual(2 * limit);
});
