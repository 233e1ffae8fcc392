import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

import { ROOT } from "../../../provider/tools/checkout.ts";
import { inheritedEnv, mustRun } from "../../../provider/tools/process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { LONG } from "../../support/random.ts";

const GITLAB_CI_LOCAL = join(ROOT, "node_modules/gitlab-ci-local/dist/index.js");
/** Each pipeline needs two slow runs of gitlab-ci-local. */
const LIMIT = { timeout: 60_000 };

/** The parts of a job that these tests read. */
interface Job {
  readonly timeout: string;
}

/** Creates the pipeline of a project `team/stack`. gitlab-ci-local validates the file, and evaluates its rules. */
async function pipelineFor(CI_PIPELINE_SOURCE: string, CI_MERGE_REQUEST_SOURCE_PROJECT_PATH = "") {
  // gitlab-ci-local needs a Git repository with a remote, and writes into it.
  const cwd = await temporaryFolder();
  await cp(join(ROOT, "examples/pipeline/.gitlab-ci.yml"), join(cwd, ".gitlab-ci.yml"));
  const git = (...args: string[]) => mustRun("git", args, { cwd });
  await git("init", "--quiet", "--initial-branch=main");
  await git("remote", "add", "origin", "git@gitlab.com:team/stack.git");
  const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  await git(...author, "commit", "--quiet", "--allow-empty", "--message=test");
  const predefined = Object.entries({ CI_PIPELINE_SOURCE, CI_MERGE_REQUEST_SOURCE_PROJECT_PATH });
  const flags = [
    ...predefined.flatMap(([name, value]) => ["--variable", `${name}=${value}`]),
    `--ignore-predefined-vars=${predefined.map(([name]) => name).join(",")}`, // Avoids warnings on stdout.
  ];
  const print = (mode: string) =>
    mustRun(process.execPath, [GITLAB_CI_LOCAL, mode, ...flags], { cwd, env: inheritedEnv() });
  const listed = JSON.parse(await print("--list-json")) as { name: string; when: string }[];
  const expanded = parse(await print("--preview")) as Readonly<Record<string, Job>>;
  return {
    jobs: Object.fromEntries(listed.map(({ name }) => [name, expanded[name]])),
    /** The names of the jobs that the rules select. */
    running: listed.filter(({ when }) => when !== "never").map(({ name }) => name),
  };
}

const CASES = [
  { source: "merge_request_event", from: "stranger/stack", running: ["no-preview"] },
  { source: "merge_request_event", from: "team/stack", running: ["preview"] },
  { source: "schedule", from: "", running: ["nightly"] },
  { source: "web", from: "", running: ["task"] },
];

// A short run proves only that forks get no secrets.
it.each(LONG ? CASES : CASES.slice(0, 1))(
  "$source $from runs $running",
  LIMIT,
  async ({ source, from, running }) => {
    expect((await pipelineFor(source, from)).running).toEqual(running);
  },
);

it(
  "changes a stack with one job at a time, never cancels a running one, and limits every job",
  LIMIT,
  async () => {
    const { jobs, running } = await pipelineFor("push");
    expect(running).toEqual(["up"]);
    const alone = { resource_group: "pulumi-production", interruptible: false, environment: "production" };
    for (const name of ["up", "nightly", "task"]) expect(jobs[name]).toMatchObject(alone);
    const limits = Object.values(jobs).map((job) => job?.timeout);
    expect(limits).toEqual(["15 minutes", "5 minutes", "40 minutes", "60 minutes", "40 minutes"]);
  },
);
