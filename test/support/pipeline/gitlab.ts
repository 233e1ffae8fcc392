import { mkdtemp, rm, cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";

import { inheritedEnv } from "../inherited-env.ts";
import { runProcess } from "../process.ts";
import { INSTALL, runStep, type Shell, type StepResult } from "./job.ts";

type Variables = Readonly<Record<string, string>>;

/** A job of a GitLab pipeline, with all that it extends. */
export interface GitLabJob {
  readonly before_script?: readonly string[];
  readonly script: readonly string[];
  readonly after_script?: readonly string[];
  readonly timeout?: string;
  readonly environment?: { readonly name: string };
  readonly resource_group?: string;
  readonly interruptible?: boolean;
}

/** A pipeline as GitLab would make it of a file. */
export interface GitLabPipeline {
  readonly variables: Variables;
  readonly jobs: Readonly<Record<string, GitLabJob>>;
  /** The names of the jobs that run, by the rules of the file. */
  readonly running: readonly string[];
}

interface ListedJob {
  readonly name: string;
  readonly when: string;
}

const PROGRAM = join(import.meta.dirname, "../../../node_modules/gitlab-ci-local/dist/index.js");

/**
 * Makes the pipeline of a file in a project `team/stack`. gitlab-ci-local holds it against GitLab's schema and decides the rules.
 *
 * @param predefined - Variables that GitLab sets, such as `CI_PIPELINE_SOURCE`.
 * @throws If the file does not agree with the schema.
 */
export async function gitLabPipeline(file: string, predefined: Variables): Promise<GitLabPipeline> {
  // It wants a Git repository with a remote, and writes into it.
  const cwd = await mkdtemp(join(tmpdir(), "gitlab-"));
  try {
    await cp(file, join(cwd, ".gitlab-ci.yml"));
    await git(cwd, "init", "--quiet", "--initial-branch=main");
    await git(cwd, "remote", "add", "origin", "git@gitlab.com:team/stack.git");
    const as = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
    await git(cwd, ...as, "commit", "--quiet", "--allow-empty", "--message=test");
    const variables = [
      ...Object.entries(predefined).flatMap(([name, value]) => ["--variable", `${name}=${value}`]),
      `--ignore-predefined-vars=${Object.keys(predefined).join(",")}`, // Else it warns, on standard output.
    ];
    const listed = await print(cwd, ["--list-json", ...variables]);
    const expanded = parse(await print(cwd, ["--preview", ...variables])) as Record<string, unknown>;
    const jobs = (JSON.parse(listed) as ListedJob[]).map(({ name }) => [name, expanded[name] as GitLabJob]);
    return {
      variables: variablesOf(expanded["variables"] as Record<string, string | { readonly value: string }>),
      jobs: Object.fromEntries(jobs) as Record<string, GitLabJob>,
      running: (JSON.parse(listed) as ListedJob[]).flatMap(({ name, when }) =>
        when === "never" ? [] : name,
      ),
    };
  } finally {
    await rm(cwd, { recursive: true });
  }
}

/** Runs a job as a GitLab runner would: one script, that ends where a command fails, then another whose exit code does not count. */
export async function runGitLabJob(
  { jobs, variables }: GitLabPipeline,
  name: string,
  { shell, values }: { readonly shell: Shell; readonly values: Variables },
): Promise<StepResult> {
  const job = jobs[name];
  if (!job) throw new Error(`There is no job ${name}`);
  const script = [...(job.before_script ?? []), ...job.script].filter((line) => line !== INSTALL);
  const given = { ...variables, ...values };
  const result = await runStep(name, script.join("\n"), shell, given);
  if (!job.after_script) return result;
  const CI_JOB_STATUS = result.code === 0 ? "success" : "failed";
  const after = await runStep(name, job.after_script.join("\n"), shell, { ...given, CI_JOB_STATUS });
  return { ...result, output: result.output + after.output };
}

function variablesOf(variables: Readonly<Record<string, string | { readonly value: string }>>): Variables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, typeof value === "string" ? value : value.value]),
  );
}

/** What gitlab-ci-local prints on standard output. */
async function print(cwd: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runProcess(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: inheritedEnv(),
  });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

async function git(cwd: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await runProcess("git", args, { cwd });
  if (code !== 0) throw new Error(stderr);
}
