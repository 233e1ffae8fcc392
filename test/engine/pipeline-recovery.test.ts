import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { codes } from "../support/pipeline/job.ts";
import { leaveInterrupted } from "./pipeline-interrupted.ts";
import { githubRunner, INTERRUPTED, LOGIN, TASK } from "./pipeline-jobs.ts";
import { pipelineStack } from "./pipeline-stack.ts";

const green = { [LOGIN]: 0, "ci/up.sh": 0, [INTERRUPTED]: 0 };

it("a creation that was interrupted turns the pipeline red until a person has looked", async () => {
  const stack = await pipelineStack();
  const run = githubRunner(stack);
  await leaveInterrupted(stack);

  const interrupted = await run("up");
  expect(codes(interrupted)).toEqual({ ...green, [INTERRUPTED]: 1 });
  expect(interrupted.at(-1)?.output).toMatch(/checkout, interrupted while creating\nA key may exist/);
  expect(codes(await run("up"))).toEqual({ ...green, [INTERRUPTED]: 1 });

  const task = await run("task", { "inputs.task": "forget-interrupted" });
  expect(codes(task)).toEqual({ [LOGIN]: 0, [TASK]: 0, [INTERRUPTED]: 1 });
  expect(codes(await run("up"))).toEqual(green);
});

it("a lock that a killed run has left stops the pipeline until a person releases it", async () => {
  const stack = await pipelineStack();
  const run = githubRunner(stack);
  const locks = join(stack.engine.backendDir, ".pulumi/locks/organization/partners-pipeline/production");
  await mkdir(locks, { recursive: true });
  const lock = { pid: 1, username: "runner", hostname: "gone", timestamp: "2026-02-19T03:17:00Z" };
  await writeFile(join(locks, "left.json"), JSON.stringify(lock));

  const locked = await run("up");
  expect(codes(locked)).toEqual({ ...green, "ci/up.sh": 1 });
  expect(locked[1]?.output).toContain("the stack is currently locked");
  expect(codes(await run("task", { "inputs.task": "release-lock" }))).toMatchObject({ [TASK]: 0 });
  expect(codes(await run("up"))).toEqual(green);
});

it("an `up` that takes too long is ended by itself, and the key that was being made is kept", async () => {
  const stack = await pipelineStack();
  stack.sandbox.inject({ kind: "slow", operation: "createApiKey", bytesPerSecond: 2.5 }); // about 25 s
  const hurried = githubRunner({
    ...stack,
    // Long after the request was sent, also on a busy machine, and long before it is answered.
    shell: (script, variables) =>
      stack.shell(script, { ...variables, UP_TIME_LIMIT: "15s", PARTNERS_REQUEST_TIMEOUT: "60" }),
  });
  expect(codes(await hurried("up"))).toEqual({ ...green, "ci/up.sh": 124 });
  const [made, ...more] = stack.sandbox.apiKeys;
  expect(made).toBeDefined();
  expect(more).toEqual([]);
  expect(JSON.stringify(await stack.exportStack())).toContain(made);
  // There is no lock, as after a kill.
  expect(codes(await githubRunner(stack)("up"))).toEqual(green);
  expect(stack.sandbox.apiKeys).toEqual([made]);
});
