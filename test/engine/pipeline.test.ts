import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";

import {
  gitLabPipeline,
  readWorkflow,
  runGitHubJob,
  runGitLabJob,
  startComments,
} from "../support/pipeline.ts";
import { runShell } from "../../provider/tools/process.ts";
import { LONG } from "../support/random.ts";
import { age, editState, environmentFor, exampleProject, expectShown, sandboxFor } from "./support.ts";

/** There are many steps, and each starts several processes. */
const LIMIT = { timeout: 300_000 };
const PREVIEW_OF_A_PERSON = "<!-- pulumi preview of production --> of a person";

/** Creates a copy of the example with an empty stack `production`. Only the pipeline's variables tell it the account. */
async function pipelineStack() {
  const sandbox = await sandboxFor();
  const PULUMI_CONFIG_PASSPHRASE = "a passphrase of the team";
  const production = { PULUMI_STACK: "production", PULUMI_CONFIG_PASSPHRASE };
  const { engine, cwd, pulumi } = await exampleProject("pipeline", {
    ...environmentFor(sandbox),
    ...production,
  });
  await pulumi("stack", "init", "production");
  const account: Record<string, string> = {
    PULUMI_BACKEND_URL: pathToFileURL(engine.backendDir).href,
    PULUMI_CONFIG_PASSPHRASE,
    PULUMI_ACCESS_TOKEN: "",
    AWS_ACCESS_KEY_ID: "",
    AWS_SECRET_ACCESS_KEY: "",
    ...environmentFor(sandbox),
  };
  const hidden = new Set([...Object.keys(account), "PULUMI_STACK"]);
  const machine = Object.fromEntries(Object.entries(engine.env).filter(([name]) => !hidden.has(name)));
  const comments = await startComments([PREVIEW_OF_A_PERSON]);
  onTestFinished(comments.close);
  const stateFile = join(engine.backendDir, ".pulumi/stacks/partners-pipeline/production.json");
  return {
    sandbox,
    cwd,
    account,
    comments,
    shell: (script: string, variables: Readonly<Record<string, string>>) =>
      runShell(script, { cwd, env: { ...machine, ...variables } }),
    stateFile,
    /** Leaves the state of a CLI that was killed after it created a key and before it saved the state. */
    leaveInterrupted: () => {
      const type = "pulumi-nodejs:dynamic/partners:PartnerApiKey";
      const urn = `urn:pulumi:production::partners-pipeline::${type}::other`;
      const resource = { urn, type, custom: true, inputs: {}, outputs: {} };
      return editState(stateFile, ({ checkpoint: { latest } }) => {
        latest.pending_operations = [{ type: "creating", resource }];
      });
    },
  };
}

it(
  "GitHub: a preview, an approved deployment, a nightly rotation with drift, its repair, and an interrupted creation",
  LIMIT,
  async () => {
    const stack = await pipelineStack();
    const { sandbox, account, comments, cwd } = stack;
    const workflow = await readWorkflow(join(cwd, ".github/workflows/pulumi.yml"));
    const github = { GITHUB_ACTIONS: "true", GITHUB_API_URL: comments.url, GITHUB_REPOSITORY: "team/stack" };
    const values: Record<string, string> = {
      "inputs.task": "",
      "inputs.approve": "",
      "github.token": "gh-token",
      "github.event.pull_request.number": "7",
    };
    for (const [name, value] of Object.entries(account))
      values[`${name.endsWith("_URL") ? "vars" : "secrets"}.${name}`] = value;
    const run = async (job: string, more: Readonly<Record<string, string>> = {}) => {
      const { codes, output } = await runGitHubJob(workflow, job, {
        cwd,
        shell: (script, variables) => stack.shell(script, { ...github, ...variables }),
        values: { ...values, ...more },
      });
      const red = Object.entries(codes).filter(([, code]) => code !== 0);
      return { red: Object.fromEntries(red), output };
    };

    sandbox.removeWebhook(103);
    expect((await run("preview")).red).toEqual({ "ci/preview.sh": 1 });
    expect(comments.texts).toEqual([PREVIEW_OF_A_PERSON, expect.stringContaining("Webhook 103")]);
    sandbox.addWebhook(103, "active");

    // Nothing changes until someone approves exactly the plan that was shown.
    const deploy = async (approve = "") => {
      const { red, output } = await run("task", { "inputs.task": "deploy", "inputs.approve": approve });
      return { red, digest: /^Digest of this plan: (\w{16})$/m.exec(output)?.[1] ?? "none" };
    };
    const other = await deploy("0123456789abcdef");
    expect(other.red).toEqual({ 'ci/task.sh "$TASK"': 2 });
    expect(sandbox.apiKeys).toEqual([]);
    expect(await deploy(other.digest)).toMatchObject({ red: {} });
    const [first] = sandbox.apiKeys;

    await age(stack.stateFile, 90);
    sandbox.setWebhookState(103, "active");
    const night = await run("nightly");
    expect(night.red).toEqual({ "Check for drift": 7 });
    await expectShown("docs/pipelines.md", night.output);
    expect(sandbox.apiKeys).toEqual([first, expect.any(String)]);

    const task = (name: string) => run("task", { "inputs.task": name });
    expect((await task("repair-drift")).red).toEqual({});
    expect(sandbox.webhooks.get(103)).toBe("disabled");

    // The job fails until a person has looked.
    await stack.leaveInterrupted();
    expect((await run("up")).red).toEqual({ "Was a creation interrupted?": 1 });
    await rm(join(cwd, "up.log")); // A new runner does not have it.
    expect((await task("forget-interrupted")).red).toEqual({});
    expect(await readFile(stack.stateFile, "utf8")).not.toContain("pending_operations");
  },
);

// GitLab runs the same scripts, which the test above already proves.
if (LONG)
  it(
    "GitLab: a preview with a comment, an update, nightly drift, and an interrupted creation",
    LIMIT,
    async () => {
      const { sandbox, account, comments, cwd, shell, leaveInterrupted } = await pipelineStack();
      const pipeline = await gitLabPipeline(join(cwd, ".gitlab-ci.yml"), { CI_PIPELINE_SOURCE: "push" });
      const run = (job: string, more: Readonly<Record<string, string>> = {}) =>
        runGitLabJob(pipeline, job, { shell, values: { ...account, MERGE_REQUEST_TOKEN: "", ...more } });
      const mergeRequest = {
        CI_API_V4_URL: comments.url,
        CI_PROJECT_ID: "5",
        CI_MERGE_REQUEST_IID: "7",
        MERGE_REQUEST_TOKEN: "gl-token",
      };
      expect((await run("preview", mergeRequest)).code).toBe(0);
      expect(comments.texts).toEqual([PREVIEW_OF_A_PERSON, expect.stringContaining("+ 4 to create")]);
      expect(comments.requests.map((line) => line.replace(/\?\S*/, ""))).toEqual([
        "GET /user gl-token",
        "GET /projects/5/merge_requests/7/notes gl-token",
        "POST /projects/5/merge_requests/7/notes gl-token",
      ]);
      expect((await run("up")).code).toBe(0);
      expect(sandbox.apiKeys).toHaveLength(1);
      sandbox.setWebhookState(103, "active");
      expect(await run("nightly")).toMatchObject({
        code: 7,
        output: expect.stringContaining("DRIFT") as string,
      });
      // The job reports it even if `up` itself fails.
      await leaveInterrupted();
      sandbox.removeWebhook(101);
      await writeFile(
        join(cwd, "index.ts"),
        `${await readFile(join(cwd, "index.ts"), "utf8")}\nthrow new Error("broken");\n`,
      );
      const up = await run("up");
      expect(up.code).toBe(1);
      expect(up.output).toContain("interrupted while creating");
    },
  );
