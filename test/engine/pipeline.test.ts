import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

import { runShell } from "../../provider/tools/process.ts";
import { COMMENTS_TOKEN, runGitHubJob, startComments, type Workflow } from "../support/pipeline.ts";
import { age, editState, environmentFor, exampleProject, expectShown, sandboxFor } from "./support.ts";

const PREVIEW_OF_A_PERSON = "<!-- pulumi preview of production --> of a person";

/** Creates a copy of the example with an empty stack `production`, and runs jobs of its workflow. */
async function pipelineStack() {
  const sandbox = await sandboxFor();
  const PULUMI_CONFIG_PASSPHRASE = "a passphrase of the team";
  const production = { PULUMI_STACK: "production", PULUMI_CONFIG_PASSPHRASE };
  const { engine, cwd, pulumi } = await exampleProject("pipeline", {
    ...environmentFor(sandbox),
    ...production,
  });
  await pulumi("stack", "init", "production");
  const comments = await startComments([PREVIEW_OF_A_PERSON]);
  onTestFinished(comments.close);
  const account: Record<string, string> = {
    PULUMI_BACKEND_URL: pathToFileURL(engine.backendDir).href,
    PULUMI_CONFIG_PASSPHRASE,
    PULUMI_ACCESS_TOKEN: "",
    AWS_ACCESS_KEY_ID: "",
    AWS_SECRET_ACCESS_KEY: "",
    ...environmentFor(sandbox),
  };
  // Only the pipeline's variables tell it the account.
  const hidden = new Set([...Object.keys(account), "PULUMI_STACK"]);
  const machine = Object.fromEntries(Object.entries(engine.env).filter(([name]) => !hidden.has(name)));
  const github = { GITHUB_ACTIONS: "true", GITHUB_API_URL: comments.url, GITHUB_REPOSITORY: "team/stack" };
  const shell = (script: string, variables: Readonly<Record<string, string>>) =>
    runShell(script, { cwd, env: { ...machine, ...github, ...variables } });
  const values: Record<string, string> = {
    "github.token": COMMENTS_TOKEN,
    "github.event.pull_request.number": "7",
  };
  for (const [name, value] of Object.entries(account))
    values[`${name.endsWith("_URL") ? "vars" : "secrets"}.${name}`] = value;
  const workflow = parse(await readFile(join(cwd, ".github/workflows/pulumi.yml"), "utf8")) as Workflow;
  return {
    sandbox,
    comments,
    stateFile: join(engine.backendDir, ".pulumi/stacks/partners-pipeline/production.json"),
    run: (job: string, task = "", approve = "") => {
      const inputs = { "inputs.task": task, "inputs.approve": approve };
      return runGitHubJob(workflow, job, { cwd, shell, values: { ...values, ...inputs } });
    },
  };
}

it(
  "a preview, an approved deployment, a nightly rotation with drift, its repair, and a killed run",
  { timeout: 300_000 }, // There are many steps, and each starts several processes.
  async () => {
    const { sandbox, comments, stateFile, run } = await pipelineStack();
    const succeeds = { failed: null };

    sandbox.removeWebhook(103);
    expect((await run("preview")).failed).toEqual({ step: "ci/preview.sh", code: 1 });
    expect(comments.texts).toEqual([PREVIEW_OF_A_PERSON, expect.stringContaining("Webhook 103")]);
    sandbox.addWebhook(103, "active");

    // Nothing changes until someone approves exactly the plan that was shown.
    const other = await run("task", "deploy", "0123456789abcdef");
    expect(other.failed?.code).toBe(2);
    expect(sandbox.apiKeys).toEqual([]);
    const digest = /^Digest of this plan: (\w{16})$/m.exec(other.output)?.[1];
    expect(await run("task", "deploy", digest)).toMatchObject(succeeds);
    const [first] = sandbox.apiKeys;

    await age(stateFile, 90);
    sandbox.setWebhookState(103, "active");
    const night = await run("nightly");
    expect(night.failed).toEqual({ step: "ci/drift.sh", code: 7 });
    await expectShown("docs/pipelines.md", night.output);
    expect(sandbox.apiKeys).toEqual([first, expect.any(String)]);

    expect(await run("task", "repair-drift")).toMatchObject(succeeds);
    expect(sandbox.webhooks.get(103)).toBe("disabled");

    // The state of a CLI that was killed after it created keys and before it saved them. Nothing changes until a person has looked.
    await editState(stateFile, ({ checkpoint: { latest } }) => {
      const key = latest.resources.find(({ type }) => type.endsWith(":PartnerApiKey"));
      const created = { ...key, urn: `${key?.urn ?? ""}-new`, outputs: {} };
      latest.pending_operations = [
        { type: "creating", resource: created },
        { type: "updating", resource: key },
      ];
    });
    sandbox.clearRequests();
    for (const job of ["up", "nightly"])
      expect((await run(job)).failed).toEqual({ step: "ci/up.sh", code: 1 });
    const { failed, output } = await run("task", "deploy", digest);
    expect(failed?.code).toBe(1);
    await expectShown("docs/pipelines.md", output);
    expect(sandbox.requests).toEqual([]);
    expect(await run("task", "forget-interrupted")).toMatchObject(succeeds);
    expect(await run("up")).toMatchObject(succeeds);
  },
);
