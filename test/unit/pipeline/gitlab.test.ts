import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

import { ROOT } from "../../../provider/tools/checkout.ts";
import { inheritedEnv, mustRun } from "../../../provider/tools/child-process.ts";
import { LONG } from "../../support/random.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const EXAMPLES = ["pipeline", "pipeline-yaml"];
const fileOf = (example: string): string => join(ROOT, "examples", example, ".gitlab-ci.yml");
const GITLAB_CI_LOCAL = join(ROOT, "node_modules/gitlab-ci-local/dist/index.js");

const CASES = [
  { source: "merge_request_event", from: "stranger/stack", running: ["no-preview"] },
  { source: "merge_request_event", from: "team/stack", running: ["preview"] },
  { source: "push", from: "", running: ["up"] },
  { source: "schedule", from: "", running: ["nightly"] },
  { source: "web", from: "", running: ["task"] },
];

// gitlab-ci-local is slow. A short run proves only that the file is valid, and that forks get no secrets.
it.each(
  EXAMPLES.flatMap((example) => (LONG ? CASES : CASES.slice(0, 1)).map((one) => ({ example, ...one }))),
)(
  "$example: $source $from runs $running",
  { timeout: 60_000 },
  async ({ example, source, from, running }) => {
    // gitlab-ci-local needs a Git repository with a remote, and writes into it.
    const cwd = await temporaryFolder();
    await cp(fileOf(example), join(cwd, ".gitlab-ci.yml"));
    const git = (...args: string[]) => mustRun("git", args, { cwd });
    await git("init", "--quiet", "--initial-branch=main");
    await git("remote", "add", "origin", "git@gitlab.com:team/stack.git");
    const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
    await git(...author, "commit", "--quiet", "--allow-empty", "--message=test");
    const names = ["CI_PIPELINE_SOURCE", "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH"];
    const flags = [
      ...["--variable", `${names[0]}=${source}`, "--variable", `${names[1]}=${from}`],
      `--ignore-predefined-vars=${names.join(",")}`, // Avoids warnings on stdout.
    ];
    const args = [GITLAB_CI_LOCAL, "--list-json", ...flags];
    const listed = await mustRun(process.execPath, args, { cwd, env: inheritedEnv() });
    const jobs = JSON.parse(listed) as { name: string; when: string }[];
    expect(jobs.filter(({ when }) => when !== "never").map(({ name }) => name)).toEqual(running);
  },
);

it.each(EXAMPLES)(
  "%s changes a stack with one job at a time, and never cancels a running one",
  async (example) => {
    const file = parse(await readFile(fileOf(example), "utf8")) as Record<string, unknown>;
    const alone = { resource_group: "pulumi-production", interruptible: false, environment: "production" };
    expect(file[".production"]).toMatchObject(alone);
    for (const name of ["up", "nightly", "task"])
      expect(file[name]).toMatchObject({ extends: ".production" });
  },
);
