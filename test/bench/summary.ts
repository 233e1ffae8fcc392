import type { Case, Measurement, Step } from "./case.ts";
import type { Measured } from "./measure.ts";
import { median } from "./statistics.ts";

/** What one operation of one contender cost in one case: medians. Requests, which do not vary, are from the last round. */
export interface Row extends Omit<Measurement, "stateBytes"> {
  readonly situation: Case;
  readonly contender: string;
  readonly step: Step;
  /** The shortest and the longest time, in milliseconds. */
  readonly range: readonly [number, number];
  readonly stateBytes: number;
  readonly listBytes: number;
}

/** One row for each operation of each contender. */
export function summarize({ situation, listBytes, series }: Measured): Row[] {
  return series.flatMap(({ contender, steps }) =>
    Object.entries(steps).map(([step, measurements]): Row => {
      const times = measurements.map(({ ms }) => ms);
      return {
        situation,
        contender,
        step: step as Step,
        ms: median(times),
        range: [Math.min(...times), Math.max(...times)],
        requests: measurements.at(-1)?.requests ?? {},
        memory: medianOf(measurements, "memory"),
        cpu: medianOf(measurements, "cpu"),
        stateBytes: median(measurements.map(({ stateBytes }) => stateBytes)),
        listBytes,
      };
    }),
  );
}

function medianOf(measurements: readonly Measurement[], name: "memory" | "cpu"): number | null {
  const values = measurements.map((measurement) => measurement[name]).filter((value) => value !== null);
  return values.length === 0 ? null : median(values);
}

/** Which rows are looked for. */
export interface Wanted {
  readonly count: number;
  readonly latency: number;
  readonly contender: string;
  readonly step: Step;
}

/** The row of a case; `undefined` if that was not measured. */
export function findRow(rows: readonly Row[], wanted: Wanted): Row | undefined {
  return rows.find(
    ({ situation, contender, step }) =>
      situation.count === wanted.count &&
      situation.latency === wanted.latency &&
      contender === wanted.contender &&
      step === wanted.step,
  );
}

/** `1 GET + 200 PATCH`, or a dash for none. */
export function requestText(requests: Measurement["requests"]): string {
  const parts = Object.entries(requests).sort(([one], [other]) => one.localeCompare(other));
  return parts.map(([method, count]) => `${count} ${method}`).join(" + ") || "–";
}
