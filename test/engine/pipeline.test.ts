import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

import { ROOT } from "../../provider/tools/checkout.ts";
import { killed } from "../support/killed.ts";
import { LONG } from "../support/random.ts";
import { environmentFor, exampleProject, sandboxFor, statesOf } from "./support.ts";

/** The parts of a GitHub workflow that this test reads. */
interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

const JOBS = ["preview", "up", "nightly", "recover"] as const;
type Job = (typeof JOBS)[number];

const read = async (file: string): Promise<unknown> =>
  parse(await readFile(join(ROOT, "examples/pipeline", file), "utf8"), { merge: true });

/** Returns the commands of each job, without those that install and log in. */
async function commandsOf(pipeline: "github" | "gitlab"): Promise<Record<Job, string[]>> {
  if (pipeline === "gitlab") {
    const jobs = (await read(".gitlab-ci.yml")) as Record<Job, { readonly script: string[] }>;
    return Object.fromEntries(JOBS.map((job) => [job, jobs[job].script])) as Record<Job, string[]>;
  }
  const { jobs } = (await read(".github/workflows/pulumi.yml")) as Workflow;
  expect(Object.keys(jobs)).toEqual(JOBS);
  const commands = JOBS.map((job) => [
    job,
    jobs[job]?.steps.flatMap(({ run }) =>
      run === undefined || /^(npm|pulumi login) /.test(run) ? [] : [run],
    ),
  ]);
  return Object.fromEntries(commands) as Record<Job, string[]>;
}

/** Makes the key of a stack older, by changing its time in the state. */
async function age(stateFile: string, days: number): Promise<void> {
  const state = await readFile(stateFile, "utf8");
  const earlier = (time: string) => new Date(Date.parse(time) - days * 86_400_000).toISOString();
  await writeFile(stateFile, state.replace(/(?<="createdAt":\s*")[^"]+/, earlier));
}

it.runIf(LONG)(
  "both pipelines preview, apply, rotate and repair at night, and recover after a killed run",
  async () => {
    const jobs = await commandsOf("github");
    expect(await commandsOf("gitlab")).toEqual(jobs);
    const api = await sandboxFor();
    const env = { ...environmentFor(api), PULUMI_STACK: "production" };
    const { engine, pulumi, shell } = await exampleProject("pipeline", env);
    const stateFile = join(engine.backendDir, ".pulumi/stacks/partners-pipeline/production.json");
    await pulumi("stack init production");
    /** Runs the commands of a job until one fails. */
    const run = async (job: Job) => {
      const { code, stdout, stderr } = await shell(jobs[job].join("\n"));
      return { code, output: stdout + stderr };
    };

    expect(await run("preview")).toMatchObject({ code: 0 });
    expect(api.keys.size).toBe(0);
    // The CLI is killed while it waits for the response to the creation of the key.
    await killed(api, "createApiKey", () => run("up"));
    expect(await run("up")).toMatchObject({
      output: expect.stringContaining("the stack is currently locked") as string,
    });
    expect(await run("recover")).toMatchObject({ code: 0 });
    const [lost, key] = api.keys;
    expect([api.keys.size, JSON.parse(await pulumi("stack output --json --show-secrets"))]).toEqual([
      2,
      { apiKey: key, previousApiKey: null },
    ]);
    expect(await readFile(stateFile, "utf8")).not.toContain("pending_operations");
    await age(stateFile, 90);
    api.webhooks.set(103, "active");
    const night = await run("nightly");
    expect([night.code, night.output]).toEqual([0, expect.stringContaining("[diff: ~state]")]);
    expect(night.output).toMatch(/rotates the key .* of "\w+".* stays valid until \d{4}-\d\d-\d\d/);
    expect([...api.keys].slice(0, 2)).toEqual([lost, key]);
    expect([api.keys.size, statesOf(api)[103]]).toEqual([3, "disabled"]);
  },
);
