import type { Ended } from "../process.ts";

/** Runs one script of a job: `variables` are what the pipeline gives to it, and nothing else of this machine's secrets. */
export type Shell = (script: string, variables: Readonly<Record<string, string>>) => Promise<Ended>;

/** What one script of a job did. */
export interface StepResult {
  /** Its name, or else the script. */
  readonly step: string;
  readonly code: number;
  /** What it printed, on both streams. */
  readonly output: string;
}

/** Not run in tests: the copied examples use what is installed here. What npm installs is tested with the README. */
export const INSTALL = "npm ci --ignore-scripts";

/** Runs one script and names it. */
export async function runStep(
  step: string,
  script: string,
  shell: Shell,
  variables: Readonly<Record<string, string>>,
): Promise<StepResult> {
  const { code, stdout, stderr } = await shell(script, variables);
  return { step, code, output: stdout + stderr };
}

/** The exit code of each step, to compare with what is expected. */
export function codes(results: readonly StepResult[]): Record<string, number> {
  return Object.fromEntries(results.map(({ step, code }) => [step, code]));
}
