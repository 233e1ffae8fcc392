import { readSettings } from "../../../provider/dist/plugin/settings.js";
import { ours, under } from "../contenders/pulumi.ts";
import { measure } from "../measure.ts";
import { summarize } from "../summary.ts";

/** The creation of keys when the engine runs so many operations at a time. */
export interface ParallelRow {
  readonly parallel: number;
  /** What the provider allows at a time. */
  readonly maxConnections: number;
  readonly keys: number;
  readonly latency: number;
  /** Milliseconds of `up`. */
  readonly ms: number;
  /** Milliseconds of `up` without latency. */
  readonly instant: number;
  /** `latency × keys / (the lesser of the two)`: what the waiting takes at the least, in milliseconds. */
  readonly bound: number;
}

const KEYS = 100;
const LATENCY = 500;
/** What `maxConnections` is if it is not set. */
export const DEFAULT_CONNECTIONS = readSettings(
  new Map([
    ["partners:baseUrl", "http://127.0.0.1"],
    ["partners:accessToken", "unused"],
  ]),
  {},
).maxConnections;
const CASES: readonly Pick<ParallelRow, "parallel" | "maxConnections">[] = [
  ...[4, 8, 16, 32].map((parallel) => ({ parallel, maxConnections: DEFAULT_CONNECTIONS })),
  { parallel: 32, maxConnections: 32 },
];

/** Shows that it is the engine's `--parallel` that bounds the creation of keys, or `maxConnections` where that is less. */
export async function measureParallel(
  repetitions: number,
  say: (line: string) => void,
): Promise<ParallelRow[]> {
  const rows: ParallelRow[] = [];
  for (const { parallel, maxConnections } of CASES) {
    say(`${KEYS} keys, --parallel ${parallel}, maxConnections ${maxConnections}`);
    const env = { PARTNERS_MAX_CONNECTIONS: String(maxConnections) };
    const contender = under({ env, flags: ["--parallel", String(parallel)] }, ours);
    const up = async (latency: number): Promise<number> => {
      const situation = { kind: "keys", count: KEYS, latency, repetitions } as const;
      return summarize(await measure(situation, [contender], say, ["up"]))[0]?.ms ?? NaN;
    };
    const [instant, ms] = [await up(0), await up(LATENCY)];
    const bound = Math.ceil(KEYS / Math.min(parallel, maxConnections)) * LATENCY;
    rows.push({ parallel, maxConnections, keys: KEYS, latency: LATENCY, ms, instant, bound });
  }
  return rows;
}
