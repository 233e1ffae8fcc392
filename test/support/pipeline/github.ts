import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";

import { INSTALL, runStep, type Shell, type StepResult } from "./job.ts";

type Variables = Readonly<Record<string, string>>;

/** A step of a workflow: the part of GitHub's syntax that we use. */
export interface Step {
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Variables;
  readonly with?: Readonly<Record<string, unknown>>;
}

/** A job of a workflow. */
export interface Job {
  readonly if?: string;
  readonly environment?: string;
  readonly permissions?: Variables;
  readonly concurrency?: { readonly group: string; readonly "cancel-in-progress": boolean };
  readonly "timeout-minutes"?: number;
  readonly env?: Variables;
  readonly steps: readonly Step[];
}

/** A workflow file. */
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

/** Actions that give a machine what the tests have anyway: the files, Node and Pulumi. */
const HERE_ALREADY = /^(actions\/checkout|actions\/setup-node|pulumi\/actions)@/;

/** Conditions of steps that do not just wait for success, as GitHub decides them where nothing is cancelled. */
const CONDITIONS: Readonly<Record<string, (cwd: string) => boolean>> = {
  "always()": () => true,
  "${{ !cancelled() && hashFiles('preview.log') != '' }}": (cwd) => existsSync(join(cwd, "preview.log")),
};

/**
 * Runs the steps of a job as GitHub would, with the values that `${{ … }}` stand for.
 *
 * @throws If the job uses an action, a condition or a value that this does not know.
 */
export async function runJob(
  workflow: Workflow,
  jobName: string,
  { cwd, shell, values }: { readonly cwd: string; readonly shell: Shell; readonly values: Variables },
): Promise<StepResult[]> {
  const job = workflow.jobs[jobName];
  if (!job) throw new Error(`There is no job ${jobName}`);
  const results: StepResult[] = [];
  for (const { name, if: condition, uses, run, env } of job.steps) {
    if (run === undefined) {
      if (!HERE_ALREADY.test(uses ?? "")) throw new Error(`This test cannot run the action ${uses ?? ""}`);
      continue;
    }
    const failed = results.some(({ code }) => code !== 0);
    if (run === INSTALL || !(condition === undefined ? !failed : decide(condition, cwd))) continue;
    const variables = evaluate({ ...workflow.env, ...job.env, ...env }, values);
    results.push(await runStep(name ?? run, run, shell, variables));
  }
  return results;
}

function decide(condition: string, cwd: string): boolean {
  const holds = CONDITIONS[condition];
  if (!holds) throw new Error(`This test does not know the condition ${condition}`);
  return holds(cwd);
}

function evaluate(variables: Variables, values: Variables): Record<string, string> {
  const value = (_text: string, expression: string): string => {
    const known = values[expression];
    if (known === undefined) throw new Error(`This test gives no value for ${expression}`);
    return known;
  };
  return Object.fromEntries(
    Object.entries(variables).map(([name, text]) => [name, text.replace(/\$\{\{ (.*?) \}\}/g, value)]),
  );
}
