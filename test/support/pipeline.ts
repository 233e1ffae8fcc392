import { existsSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Ended } from "../../provider/tools/process.ts";

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
  readonly permissions: Variables;
  readonly env: Variables;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Actions and commands that provide what the tests already have: the files, Node, Pulumi and the packages. */
const SKIPPED = /^(actions\/checkout|actions\/setup-node|pulumi\/actions)@|^npm ci --ignore-scripts$/;
/** The only condition of a step. */
const HAS_PREVIEW = "${{ !cancelled() && hashFiles('preview.log') != '' }}";

/**
 * Runs the steps of a job as GitHub would.
 *
 * @param values The values of `${{ … }}` expressions.
 * @returns The step that failed, by its script, with its exit code, and the output of all steps.
 * @throws {Error} if the job uses an unknown action, condition or value.
 */
export async function runGitHubJob(
  { env: shared, jobs }: Workflow,
  jobName: string,
  { cwd, shell, values }: { readonly cwd: string; readonly shell: Shell; readonly values: Variables },
) {
  const job = jobs[jobName];
  if (!job) throw new Error(`Unknown job: ${jobName}`);
  let failed: { readonly step: string; readonly code: number } | null = null;
  let output = "";
  for (const { if: condition, uses, run = "", env } of job.steps) {
    if (SKIPPED.test(uses ?? run)) continue;
    if (run === "" || (condition !== undefined && condition !== HAS_PREVIEW))
      throw new Error(`This runner does not support ${condition ?? uses ?? "a step without a script"}`);
    if (condition === HAS_PREVIEW ? !existsSync(join(cwd, "preview.log")) : failed) continue;
    const { code, stdout, stderr } = await shell(run, evaluate({ ...shared, ...job.env, ...env }, values));
    if (code !== 0) failed = { step: run, code };
    output += stdout + stderr;
  }
  return { failed, output };
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

/** The token of {@link startComments}. */
export const COMMENTS_TOKEN = "token-for-comments";
/** The ID of the user that the token belongs to. */
const BOT = 2;
/** Pull request 7 of `team/stack` at GitHub, merge request 7 of project 5 at GitLab, and GitLab's current user. */
const PATHS =
  /^\/(repos\/team\/stack\/issues\/(7\/comments|comments\/\d+)|projects\/5\/merge_requests\/7\/notes(\/\d+)?|user)(\?|$)/;

/**
 * Serves the comments of one pull or merge request, with the parts of the GitHub and GitLab APIs that list and write comments. The
 * ID of a comment is its index.
 *
 * @param texts Comments of a person; later comments belong to the owner of the token.
 */
export async function startComments(texts: string[] = []) {
  const ofPerson = texts.length;
  const server = createServer((request, response) => {
    void (async () => {
      const { method, url = "", headers } = request;
      const content = (await request.toArray()).join("");
      const isAllowed = [headers.authorization, headers["private-token"]].some(
        (token) => token === COMMENTS_TOKEN || token === `Bearer ${COMMENTS_TOKEN}`,
      );
      if (!isAllowed || !PATHS.test(url)) return response.writeHead(404).end();
      const id = method === "POST" ? texts.length : Number(/(\d+)$/.exec(url)?.[1]);
      if (method !== "GET") texts[id] = (JSON.parse(content) as { body: string }).body;
      const comments = texts.map((body, index) => ({
        id: index,
        body,
        user: { login: index < ofPerson ? "a-person" : "github-actions[bot]" },
        author: { id: index < ofPerson ? 1 : BOT },
      }));
      const read = url === "/user" ? { id: BOT } : comments;
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify(method === "GET" ? read : comments[id]));
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The comments, oldest first. */
    texts,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}
