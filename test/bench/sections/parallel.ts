import { ours, under } from "../contenders/pulumi.ts";
import { measure } from "../measure.ts";
import { summarize } from "../summary.ts";

/** The creation of keys when the engine runs so many operations at a time. */
export interface ParallelRow {
  readonly parallel: number;
  readonly keys: number;
  readonly latency: number;
  /** Milliseconds of `up`. */
  readonly ms: number;
  /** Milliseconds of `up` without latency. */
  readonly instant: number;
  /** `latency × keys / parallel`: what the waiting takes at the least, in milliseconds. */
  readonly bound: number;
}

const KEYS = 100;
const LATENCY = 500;

/** Shows that it is the engine's `--parallel` that bounds the creation of keys. */
export async function measureParallel(
  repetitions: number,
  say: (line: string) => void,
): Promise<ParallelRow[]> {
  const rows: ParallelRow[] = [];
  for (const parallel of [4, 8, 16]) {
    say(`${KEYS} keys, --parallel ${parallel}`);
    const contender = under({ flags: ["--parallel", String(parallel)] }, ours);
    const up = async (latency: number): Promise<number> => {
      const situation = { kind: "keys", count: KEYS, latency, repetitions } as const;
      return summarize(await measure(situation, [contender], say, ["up"]))[0]?.ms ?? NaN;
    };
    const [instant, ms] = [await up(0), await up(LATENCY)];
    const bound = Math.ceil(KEYS / parallel) * LATENCY;
    rows.push({ parallel, keys: KEYS, latency: LATENCY, ms, instant, bound });
  }
  return rows;
}
