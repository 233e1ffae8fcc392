import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { type Ended, inheritedEnv, mustRun } from "../../provider/tools/process.ts";

type Variables = Readonly<Record<string, string>>;

/** Runs a script of a job with the variables that the pipeline sets. It must not see other secrets of this machine. */
export type Shell = (script: string, variables: Variables) => Promise<Ended>;

/** The parts of a GitHub workflow step that this project uses. */
export interface Step {
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Variables;
  readonly with?: Readonly<Record<string, unknown>>;
}

/** A job of a GitHub workflow. */
export interface Job {
  readonly if?: string;
  readonly environment?: string;
  readonly permissions?: Variables;
  readonly concurrency?: { readonly group: string; readonly "cancel-in-progress": boolean };
  readonly "timeout-minutes"?: number;
  readonly env?: Variables;
  readonly steps: readonly Step[];
}

/** A GitHub workflow file. */
export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Variables;
  readonly env: Variables;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Reads a workflow file. */
export async function readWorkflow(file: string): Promise<Workflow> {
  return parse(await readFile(file, "utf8")) as Workflow;
}

/** Skipped in tests, because the copied examples use the packages installed here. */
const INSTALL = "npm ci --ignore-scripts";

/** Actions that provide what the tests already have: the files, Node and Pulumi. */
const SKIPPED_ACTIONS = /^(actions\/checkout|actions\/setup-node|pulumi\/actions)@/;

/** The values of step conditions if no job is canceled. */
const CONDITIONS: Readonly<Record<string, (cwd: string) => boolean>> = {
  "always()": () => true,
  "${{ !cancelled() && hashFiles('preview.log') != '' }}": (cwd) => existsSync(join(cwd, "preview.log")),
};

/**
 * Runs the steps of a job as GitHub would.
 *
 * @param values The values of `${{ … }}` expressions.
 * @returns The exit code of each step, by its name or else its script, and the output of all steps.
 * @throws {Error} if the job uses an unknown action, condition or value.
 */
export async function runGitHubJob(
  { env: shared, jobs }: Workflow,
  jobName: string,
  { cwd, shell, values }: { readonly cwd: string; readonly shell: Shell; readonly values: Variables },
) {
  const job = jobs[jobName];
  if (!job) throw new Error(`Unknown job: ${jobName}`);
  const codes: Record<string, number> = {};
  let output = "";
  for (const { name, if: condition, uses = "", run, env } of job.steps) {
    const succeeded = (): boolean => Object.values(codes).every((code) => code === 0);
    const decide = condition === undefined ? succeeded : CONDITIONS[condition];
    if (!decide || (run === undefined && !SKIPPED_ACTIONS.test(uses)))
      throw new Error(`This runner does not support ${condition ?? uses}`);
    if (run === undefined || run === INSTALL || !decide(cwd)) continue;
    const ended = await shell(run, evaluate({ ...shared, ...job.env, ...env }, values));
    codes[name ?? run] = ended.code;
    output += ended.stdout + ended.stderr;
  }
  return { codes, output };
}

function evaluate(variables: Variables, values: Variables): Record<string, string> {
  const value = (_text: string, expression: string): string => {
    const known = values[expression];
    if (known === undefined) throw new Error(`This runner has no value for ${expression}`);
    return known;
  };
  return Object.fromEntries(
    Object.entries(variables).map(([name, text]) => [name, text.replace(/\$\{\{ (.*?) \}\}/g, value)]),
  );
}

/** A job of a GitLab pipeline, with everything that it extends. */
export interface GitLabJob {
  readonly before_script?: readonly string[];
  readonly script: readonly string[];
  readonly after_script?: readonly string[];
  readonly timeout?: string;
}

/** A pipeline that GitLab would create from a file. */
export type GitLabPipeline = Awaited<ReturnType<typeof gitLabPipeline>>;

const GITLAB_CI_LOCAL = join(import.meta.dirname, "../../node_modules/gitlab-ci-local/dist/index.js");

/**
 * Creates the pipeline of a file in a project `team/stack`. gitlab-ci-local validates the file and evaluates its rules.
 *
 * @param predefined Variables that GitLab sets, such as `CI_PIPELINE_SOURCE`.
 * @throws {Error} if the file does not match GitLab's schema.
 */
export async function gitLabPipeline(file: string, predefined: Variables) {
  // gitlab-ci-local needs a Git repository with a remote, and writes into it.
  const cwd = await mkdtemp(join(tmpdir(), "gitlab-"));
  try {
    await cp(file, join(cwd, ".gitlab-ci.yml"));
    const git = (...args: string[]) => mustRun("git", args, { cwd });
    await git("init", "--quiet", "--initial-branch=main");
    await git("remote", "add", "origin", "git@gitlab.com:team/stack.git");
    const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
    await git(...author, "commit", "--quiet", "--allow-empty", "--message=test");
    const flags = [
      ...Object.entries(predefined).flatMap(([name, value]) => ["--variable", `${name}=${value}`]),
      `--ignore-predefined-vars=${Object.keys(predefined).join(",")}`, // Avoids warnings on stdout.
    ];
    const print = (mode: string) =>
      mustRun(process.execPath, [GITLAB_CI_LOCAL, mode, ...flags], { cwd, env: inheritedEnv() });
    const listed = JSON.parse(await print("--list-json")) as { name: string; when: string }[];
    const expanded = parse(await print("--preview")) as Record<string, unknown>;
    const given = expanded["variables"] as Record<string, string | { readonly value: string }>;
    const variables = Object.entries(given).map(
      ([name, value]) => [name, typeof value === "string" ? value : value.value] as const,
    );
    const jobs = listed.map(({ name }) => [name, expanded[name] as GitLabJob] as const);
    return {
      variables: Object.fromEntries(variables),
      jobs: Object.fromEntries(jobs),
      /** The names of the jobs that the rules select. */
      running: listed.filter(({ when }) => when !== "never").map(({ name }) => name),
    };
  } finally {
    await rm(cwd, { recursive: true });
  }
}

/** Runs a job as GitLab would: one script that stops at the first failure, then `after_script`, whose exit code is ignored. */
export async function runGitLabJob(
  { jobs, variables }: GitLabPipeline,
  name: string,
  { shell, values }: { readonly shell: Shell; readonly values: Variables },
): Promise<{ readonly code: number; readonly output: string }> {
  const { before_script = [], script = [], after_script = [] } = jobs[name] ?? {};
  if (script.length === 0) throw new Error(`Unknown job: ${name}`);
  const given = { ...variables, ...values };
  const lines = [...before_script, ...script].filter((line) => line !== INSTALL);
  const { code, stdout, stderr } = await shell(lines.join("\n"), given);
  const CI_JOB_STATUS = code === 0 ? "success" : "failed";
  const after = await shell(after_script.join("\n"), { ...given, CI_JOB_STATUS });
  return { code, output: [stdout, stderr, after.stdout, after.stderr].join("") };
}

/** The ID of the user that the token belongs to. */
const BOT = 2;

/**
 * Serves the comments of one pull or merge request, with the parts of the GitHub and GitLab APIs that list and write comments. The
 * ID of a comment is its index.
 *
 * @param texts Comments of a person; later comments belong to the owner of the token.
 */
export async function startComments(texts: string[] = []) {
  const requests: string[] = [];
  const ofPerson = texts.length;
  const server = createServer((request, response) => {
    void (async () => {
      const { authorization = "", "private-token": token = "" } = request.headers;
      requests.push([request.method, request.url, authorization, String(token)].filter(Boolean).join(" "));
      const content = (await request.toArray()).join("");
      const id = request.method === "POST" ? texts.length : Number(/(\d+)$/.exec(request.url ?? "")?.[1]);
      if (request.method !== "GET") texts[id] = (JSON.parse(content) as { body: string }).body;
      const comments = texts.map((body, index) => ({
        id: index,
        body,
        user: { login: index < ofPerson ? "a-person" : "github-actions[bot]" },
        author: { id: index < ofPerson ? 1 : BOT },
      }));
      const read = request.url === "/user" ? { id: BOT } : comments;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(request.method === "GET" ? read : comments[id]));
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The comments, oldest first. */
    texts,
    /** The requests, each as `METHOD path token`. */
    requests,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}
