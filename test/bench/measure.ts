import { STEPS, type Case, type Measurement, type Step } from "./case.ts";
import type { Contender } from "./contender.ts";
import { startSandboxProcess } from "./sandbox-process.ts";

/** All measurements of one contender in one case. */
export interface Series {
  readonly contender: string;
  readonly steps: Readonly<Partial<Record<Step, readonly Measurement[]>>>;
}

/** A case and what was measured in it. */
export interface Measured {
  readonly situation: Case;
  /** The size of the list of webhooks, in bytes. */
  readonly listBytes: number;
  readonly series: readonly Series[];
}

/**
 * Measures one case. The contenders take turns, and another one begins in every round, so that what disturbs the machine
 * for a while disturbs all.
 *
 * @param steps What is measured; the first of them has to be `up`.
 * @param say Is told of every contender that is done.
 */
export async function measure(
  situation: Case,
  contenders: readonly Contender[],
  say: (line: string) => void,
  steps: readonly Step[] = STEPS,
): Promise<Measured> {
  const found = contenders.map(({ name }) => ({ contender: name, steps: emptySteps(steps) }));
  for (let round = 0; round < situation.repetitions; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const place = (round + turn) % contenders.length;
      const [contender, series] = [contenders[place], found[place]];
      if (!contender || !series) continue;
      const times: string[] = [];
      await measureOnce(situation, contender, steps, (step, measurement) => {
        series.steps[step]?.push(measurement);
        times.push(`${step} ${(measurement.ms / 1000).toFixed(2)}`);
      });
      say(`  ${round + 1}/${situation.repetitions} ${contender.name.padEnd(9)} ${times.join(", ")}`);
    }
  }
  return { situation, listBytes: await listBytes(situation), series: found };
}

function emptySteps(steps: readonly Step[]): Partial<Record<Step, Measurement[]>> {
  return Object.fromEntries(steps.map((step) => [step, []]));
}

/** Runs the operations of one contender once, on an account and a stack of its own. @param done Is told of each. */
export async function measureOnce(
  situation: Case,
  contender: Contender,
  steps: readonly Step[],
  done: (step: Step, measurement: Measurement) => void | Promise<void>,
): Promise<void> {
  const sandbox = await startSandboxProcess(seed(situation));
  const subject = await contender.begin(situation.kind, situation.count, sandbox);
  try {
    for (const step of steps) await done(step, await subject.run(step));
  } finally {
    await subject.dispose();
    await sandbox.stop();
  }
}

/** An account whose webhooks all differ from what is wanted. */
function seed({ kind, count, latency }: Case): object {
  const webhooks = Array.from({ length: kind === "webhooks" ? count : 0 }, (_, index) => {
    return { webhookId: index + 1, state: "disabled" };
  });
  return { webhooks, latency };
}

async function listBytes(situation: Case): Promise<number> {
  const sandbox = await startSandboxProcess(seed(situation));
  const headers = { authorization: `Bearer ${sandbox.accessToken}` };
  const list = await fetch(`${sandbox.url}/api/v1/partners/webhooks`, { headers });
  const { byteLength } = await list.arrayBuffer();
  await sandbox.stop();
  return byteLength;
}
