import { PARTNER_API_KEY, PARTNER_WEBHOOK_STATE } from "../../provider/dist/resources/registration.js";
import type { Step } from "./case.ts";
import { findRow, requestText, type Row } from "./summary.ts";

/** Something that has to hold in every run. */
export interface Goal {
  readonly what: string;
  readonly limit: string;
  readonly measured: string;
  /** `null` where it was not measured in this run. */
  readonly met: boolean | null;
  /** The same of the engine alone, with handlers that do nothing: about what we could reach at best. */
  readonly engine?: Pick<Goal, "measured" | "met">;
}

type RatioGoal = readonly [step: Step, latency: number, than: string, limit: number];

/** Our time at 200 webhooks that all differ, as a part of another's. */
const RATIOS: readonly RatioGoal[] = [
  ["up", 0, "floor", 0.7],
  ["destroy", 0, "floor", 0.65],
  ["unchanged up", 0, "floor", 0.92],
  ["preview", 0, "floor", 0.92],
  ["refresh", 0, "floor", 0.92],
  ["up", 50, "tutorial", 0.65],
  ["up", 50, "terraform", 0.6],
  ["unchanged up", 50, "terraform", 0.5],
];
/** How many webhooks the goals are about. */
export const GOAL_COUNT = 200;
/** A part of the floor's bytes. */
const STATE_LIMIT = 0.27;
/** Bytes of the code in state, of each resource twice. */
const PROVIDER_LIMIT = 100;
/** Milliseconds for which one list serves. */
const LIST_LASTS = 30_000;

/** What became of the goals in a run. */
export function judge(rows: readonly Row[]): Goal[] {
  const row = (contender: string, step: Step, latency = 0): Row | undefined =>
    findRow(rows, { count: GOAL_COUNT, latency, contender, step });
  const ratio = (
    what: string,
    one: number | undefined,
    other: number | undefined,
    than: string,
    limit: number,
  ): Goal => {
    const found = one === undefined || other === undefined ? null : one / other;
    return {
      what,
      limit: `≤ ${limit.toFixed(2)} × ${than}`,
      measured: found?.toFixed(2) ?? "not measured",
      met: found === null ? null : found <= limit,
    };
  };

  const times = RATIOS.map(([step, latency, than, limit]) => {
    const what = `time of ${step}${latency > 0 ? `, ${latency} ms latency` : ""}`;
    const [own, other] = [row("ours", step, latency), row(than, step, latency)];
    const engine = row("engine", step, latency);
    return {
      ...ratio(what, own?.ms, other?.ms, than, limit),
      ...(engine && { engine: ratio(what, engine.ms, other?.ms, than, limit) }),
    };
  });
  const refresh = row("ours", "refresh");
  const lists = Math.ceil((refresh?.range[1] ?? 0) / LIST_LASTS);
  const code = Math.max(...[PARTNER_API_KEY, PARTNER_WEBHOOK_STATE].map((one) => one.__provider.length));
  return [
    ...times,
    ratio(
      "size of state",
      row("ours", "up")?.stateBytes,
      row("floor", "up")?.stateBytes,
      "floor",
      STATE_LIMIT,
    ),
    {
      what: "requests of refresh",
      limit: "1 GET per 30 s",
      measured: refresh ? requestText(refresh.requests) : "not measured",
      met: refresh ? requestText(refresh.requests) === `${lists} GET` : null,
    },
    {
      what: "`__provider`",
      limit: `≤ ${PROVIDER_LIMIT} bytes`,
      measured: `${code} bytes`,
      met: code <= PROVIDER_LIMIT,
    },
  ];
}
