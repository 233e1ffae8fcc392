import { readFile } from "node:fs/promises";
import { expect, it, onTestFinished } from "vitest";

import { startComments } from "../support/pipeline/comments.ts";
import { codes } from "../support/pipeline/job.ts";
import { expectShown } from "./docs.ts";
import { githubRunner, INTERRUPTED, LOGIN, TASK } from "./pipeline-jobs.ts";
import { pipelineStack, type PipelineStack } from "./pipeline-stack.ts";
import { age } from "./rotation-support.ts";

it("preview: one comment, which later previews edit", async () => {
  const stack = await pipelineStack();
  const comments = await startComments(["<!-- pulumi preview of production --> of a person"]);
  onTestFinished(comments.close);
  const github = {
    GITHUB_ACTIONS: "true",
    GITHUB_API_URL: comments.url,
    GITHUB_REPOSITORY: "team/stack",
  };
  const shell: PipelineStack["shell"] = (script, variables) =>
    stack.shell(script, { ...github, ...variables });
  const preview = () =>
    githubRunner({ ...stack, shell })("preview", {
      "github.token": "gh-token",
      "github.event.pull_request.number": "7",
    });

  expect(codes(await preview())).toEqual({ [LOGIN]: 0, "ci/preview.sh": 0, Comment: 0 });
  expect(comments.texts).toHaveLength(2);
  expect(comments.texts[1]).toMatch(/checkout create(.|\n)*Resources:\n {4}\+ 4 to create/);
  expect(comments.requests).toEqual([
    "GET /repos/team/stack/issues/7/comments?per_page=100&page=1 Bearer gh-token",
    "POST /repos/team/stack/issues/7/comments Bearer gh-token",
  ]);
  expect(stack.sandbox.apiKeys).toEqual([]);

  stack.sandbox.removeWebhook(103);
  expect(codes(await preview())).toEqual({ [LOGIN]: 0, "ci/preview.sh": 1, Comment: 0 });
  expect(comments.texts).toHaveLength(2);
  expect(comments.texts[1]).toContain("103");
  expect(comments.requests.at(-1)).toBe("PATCH /repos/team/stack/issues/comments/1 Bearer gh-token");
});

it("up, then nights with a rotation, with drift, and with a check that fails", async () => {
  const stack = await pipelineStack();
  const { sandbox } = stack;
  const run = githubRunner(stack);
  expect(codes(await run("up"))).toEqual({ [LOGIN]: 0, "ci/up.sh": 0, [INTERRUPTED]: 0 });
  expect(Object.fromEntries(sandbox.webhooks)).toMatchObject({ 101: "active", 103: "disabled" });
  const [first] = sandbox.apiKeys;
  expect(await readFile(stack.stateFile, "utf8")).not.toContain(sandbox.accessToken);

  await age(stack, 90);
  const night = { [LOGIN]: 0, "Rotate what is due": 0, [INTERRUPTED]: 0 };
  expect(codes(await run("nightly"))).toEqual({ ...night, "Check for drift": 0 });
  expect(sandbox.apiKeys).toEqual([first, expect.any(String)]);

  sandbox.setWebhookState(103, "active");
  const drifted = await run("nightly");
  expect(codes(drifted)).toEqual({ ...night, "Check for drift": 7 });
  await expectShown("pipelines.md", "Drift", drifted.at(-1)?.output ?? "");

  const wrongToken = await run("nightly", { "secrets.PARTNERS_ACCESS_TOKEN": "wrong" });
  expect(codes(wrongToken)).toEqual({ ...night, "Check for drift": 1 });
  expect(wrongToken.at(-1)?.output).toContain("The check for drift FAILED with exit code 1");

  const repaired = await run("task", { "inputs.task": "repair-drift" });
  expect(codes(repaired)).toEqual({ [LOGIN]: 0, [TASK]: 0, [INTERRUPTED]: 0 });
  expect(sandbox.webhooks.get(103)).toBe("disabled");
});
