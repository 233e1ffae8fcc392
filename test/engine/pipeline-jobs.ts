import { join } from "node:path";

import { readWorkflow, runJob } from "../support/pipeline/github.ts";
import type { StepResult } from "../support/pipeline/job.ts";
import { exampleFolder } from "./example-project.ts";
import type { PipelineStack } from "./pipeline-stack.ts";

const workflow = await readWorkflow(join(exampleFolder("pipeline"), ".github/workflows/pulumi.yml"));

/** Steps of the workflow, as they are listed. */
export const LOGIN = 'pulumi login "$PULUMI_BACKEND_URL"';
export const INTERRUPTED = "Was a creation interrupted?";
export const TASK = 'ci/task.sh "$TASK"';

type Values = Readonly<Record<string, string>>;

/** What runs a job of the workflow for a stack, with the account as the team's variables and secrets, and more values. */
export function githubRunner({
  cwd,
  shell,
  account,
}: PipelineStack): (job: string, more?: Values) => Promise<StepResult[]> {
  const values: Record<string, string> = { "inputs.task": "", "inputs.approve": "" };
  for (const [name, value] of Object.entries(account)) {
    values[`${name.endsWith("_URL") ? "vars" : "secrets"}.${name}`] = value;
  }
  return (job, more = {}) => runJob(workflow, job, { cwd, shell, values: { ...values, ...more } });
}
