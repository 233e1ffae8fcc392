import { READING, STEPS, type Case, type Measurement, type Step } from "./case.ts";
import type { Contender, Subject } from "./contender.ts";
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
 * Measures one case. The contenders take turns at every operation, and another one begins each time, so that what
 * disturbs the machine for a while disturbs all.
 *
 * @param steps What is measured; the first of them has to be `up`.
 * @param say Is told of every round.
 */
export async function measure(
  situation: Case,
  contenders: readonly Contender[],
  say: (line: string) => void,
  steps: readonly Step[] = STEPS,
): Promise<Measured> {
  const found = new Map(contenders.map((contender) => [contender, emptySteps(steps)]));
  for (let round = 0; round < situation.repetitions; round += 1) {
    const times = new Map(contenders.map((contender) => [contender, ""]));
    await measureRound(situation, inTurn(contenders, round), steps, (contender, step, measurement) => {
      found.get(contender)?.[step]?.push(measurement);
      const time = `${step} ${(measurement.ms / 1000).toFixed(2)}`;
      times.set(contender, `${times.get(contender) ?? ""}  ${time}`);
    });
    for (const [{ name }, text] of times) {
      say(`  ${round + 1}/${situation.repetitions} ${name.padEnd(9)}${text}`);
    }
  }
  const series = [...found].map(([{ name }, measured]) => ({ contender: name, steps: measured }));
  return { situation, listBytes: await listBytes(situation), series };
}

function emptySteps(steps: readonly Step[]): Partial<Record<Step, Measurement[]>> {
  return Object.fromEntries(steps.map((step) => [step, []]));
}

/** Begins with each in turn, and goes the other way round every second time, so that nobody always comes after the same one. */
function inTurn<T>(all: readonly T[], turn: number): T[] {
  const first = Math.floor(turn / 2) % all.length;
  const rotated = [...all.slice(first), ...all.slice(0, first)];
  return turn % 2 === 0 ? rotated : rotated.reverse();
}

/** Runs all operations once, each contender's on an account and a stack of its own. @param done Is told of each. */
export async function measureRound(
  situation: Case,
  contenders: readonly Contender[],
  steps: readonly Step[],
  done: (contender: Contender, step: Step, measurement: Measurement) => void | Promise<void>,
): Promise<void> {
  const disposals: (() => Promise<void>)[] = [];
  const subjects = new Map<Contender, Subject>();
  try {
    for (const contender of contenders) {
      const sandbox = await startSandboxProcess(seed(situation));
      disposals.push(() => sandbox.stop());
      const subject = await contender.begin(situation.kind, situation.count, sandbox);
      disposals.push(() => subject.dispose());
      subjects.set(contender, subject);
    }
    let turn = 0;
    for (const step of steps) {
      const times = READING.includes(step) ? (situation.reads ?? 1) : 1;
      for (let time = 0; time < times; time += 1) {
        for (const [contender, subject] of inTurn([...subjects], turn)) {
          await done(contender, step, await subject.run(step));
        }
        turn += 1;
      }
    }
  } finally {
    for (const dispose of disposals.reverse()) await dispose();
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
