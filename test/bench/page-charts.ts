import { lineChart } from "./chart.ts";
import type { Row } from "./summary.ts";

/** The charts by their names, with the longest latency. */
export function charts(rows: readonly Row[]): Record<string, string> {
  const latency = Math.max(...rows.map(({ situation }) => situation.latency));
  const shown = rows.filter(({ situation }) => situation.latency === latency);
  if (shown.length === 0) return {};
  const xLabel = "webhooks";
  const requests = shown.filter(({ step, contender }) => step !== "destroy" && contender !== "floor");
  return {
    time: lineChart({
      title: `Seconds of the first up, all webhooks differing, ${latency} ms latency`,
      xLabel,
      lines: lines(
        shown.filter(({ step }) => step === "up"),
        ({ ms }) => ms / 1000,
      ),
    }),
    requests: lineChart({
      title: "Requests of up, unchanged up, preview and refresh together",
      xLabel,
      lines: lines(requests, ({ requests: sent }) =>
        Object.values(sent).reduce((sum, count) => sum + count, 0),
      ),
    }),
  };
}

/** A line for each contender; values of one number of webhooks are added up. */
function lines(
  rows: readonly Row[],
  value: (row: Row) => number,
): { name: string; points: [number, number][] }[] {
  return Object.entries(Object.groupBy(rows, ({ contender }) => contender)).map(([name, own = []]) => {
    const sums = new Map<number, number>();
    for (const row of own) {
      const { count } = row.situation;
      sums.set(count, (sums.get(count) ?? 0) + value(row));
    }
    return { name, points: [...sums] };
  });
}
