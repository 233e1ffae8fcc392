import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { startComments } from "../support/pipeline/comments.ts";
import { gitLabPipeline, runGitLabJob } from "../support/pipeline/gitlab.ts";
import { exampleFolder } from "./example-project.ts";
import { leaveInterrupted } from "./pipeline-interrupted.ts";
import { pipelineStack } from "./pipeline-stack.ts";

it("GitLab: a preview with a comment, up, a night with drift, and its repair", async () => {
  const pipeline = await gitLabPipeline(join(exampleFolder("pipeline"), ".gitlab-ci.yml"), {
    CI_PIPELINE_SOURCE: "push",
  });
  const { sandbox, shell, account } = await pipelineStack();
  const comments = await startComments(["<!-- pulumi preview of production --> of a person"]);
  onTestFinished(comments.close);
  const run = (job: string, more: Readonly<Record<string, string>> = {}) =>
    runGitLabJob(pipeline, job, { shell, values: { ...account, MERGE_REQUEST_TOKEN: "", ...more } });

  const mergeRequest = {
    CI_API_V4_URL: comments.url,
    CI_PROJECT_ID: "5",
    CI_MERGE_REQUEST_IID: "7",
    MERGE_REQUEST_TOKEN: "gl-token",
  };
  expect((await run("preview", mergeRequest)).code).toBe(0);
  expect(comments.texts.slice(1)).toEqual([expect.stringContaining("+ 4 to create")]);
  expect((await shell("node ci/comment.ts", { PULUMI_STACK: "production", ...mergeRequest })).code).toBe(0);
  expect(comments.requests.map((line) => line.replace(/\?\S*/, ""))).toEqual([
    "GET /user gl-token",
    "GET /projects/5/merge_requests/7/notes gl-token",
    "POST /projects/5/merge_requests/7/notes gl-token",
    "GET /user gl-token",
    "GET /projects/5/merge_requests/7/notes gl-token",
    "PUT /projects/5/merge_requests/7/notes/1 gl-token",
  ]);

  expect((await run("up")).code).toBe(0);
  expect(sandbox.apiKeys).toHaveLength(1);
  sandbox.setWebhookState(103, "active");
  expect(await run("nightly")).toMatchObject({ code: 7, output: expect.stringContaining("DRIFT") as string });
  expect((await run("task", { TASK: "repair-drift" })).code).toBe(0);
  expect(sandbox.webhooks.get(103)).toBe("disabled");
});

it("GitLab: an interrupted creation is also told of when `up` fails", async () => {
  const pipeline = await gitLabPipeline(join(exampleFolder("pipeline"), ".gitlab-ci.yml"), {
    CI_PIPELINE_SOURCE: "push",
  });
  const stack = await pipelineStack();
  await leaveInterrupted(stack);
  stack.sandbox.removeWebhook(103);
  const { shell, account } = stack;
  const up = await runGitLabJob(pipeline, "up", { shell, values: account });
  expect(up.code).toBe(1);
  expect(up.output).toContain("A key may exist at the service that no stack knows of.");
});
