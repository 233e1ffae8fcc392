import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Operation } from "../../../provider/src/api/operations.js";
import { startScriptedServer, type Play, type ScriptedServer } from "../../support/scripted-server.ts";
import { operations } from "./calls.ts";
import {
  BROKEN_BODIES,
  goodAnswer,
  LOST_ANSWERS,
  statusAnswer,
  STATUSES,
  type Headers,
} from "./matrix-faults.ts";
import { expected, HINTS, type Expectation, type Hint } from "./matrix-oracle.ts";
import { BODY_ROWS, LOST_ROWS, STATUS_ROWS, UNSENT_ROW, type Row } from "./matrix-rows.ts";
import { run } from "./matrix-run.ts";
import { listen } from "./support.js";

const hints = Object.keys(HINTS) as Hint[];

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

interface RowOfMatrix {
  readonly operation: Operation;
  readonly row: Row;
  readonly fault: (headers: Headers) => Play;
  readonly kinds?: readonly Hint[];
  readonly requestTimeout?: number;
}

/** How an operation goes, and how many requests arrive. */
type Cell = Expectation & { readonly requests: number };

/** Compares a row, all kinds of hints at once, so that a failure shows the whole of it. */
async function compare({ operation, row, fault, kinds = hints, requestTimeout }: RowOfMatrix): Promise<void> {
  const observed: Record<string, Cell> = {};
  const oracle: Record<string, Cell> = {};
  const running: Promise<void>[] = [];
  for (const hint of kinds) {
    for (const meets of ["all", "first"] as const) {
      const cell = `${hint}, ${meets}`;
      const play = fault(HINTS[hint]);
      const { url, requests } = server.scene(meets === "all" ? [play] : [play, goodAnswer(operation)]);
      const outcome = run(operation, url, requestTimeout);
      running.push(outcome.then((end) => void (observed[cell] = { ...end, requests: requests.length })));
      const expectation = expected(operation, row, hint, meets);
      oracle[cell] = { ...expectation, requests: expectation.attempts };
    }
  }
  await Promise.all(running);
  expect(observed).toEqual(oracle);
}

const isSilence = (name: string): boolean => name.startsWith("silence");
const bodies = Object.keys(BROKEN_BODIES) as (keyof typeof BROKEN_BODIES)[];
const lost = Object.keys(LOST_ANSWERS) as (keyof typeof LOST_ANSWERS)[];

describe.each(operations)("%s", (operation) => {
  it.each(STATUSES)("answered with %d, whatever Retry-After says", async (status) => {
    const fault = (headers: Headers): Play => statusAnswer(operation, status, headers);
    await compare({ operation, row: STATUS_ROWS[status], fault });
  });

  it.each(bodies.filter((name) => !isSilence(name)))(
    "answered with %s, whatever Retry-After says",
    async (name) => {
      const fault = (headers: Headers): Play => BROKEN_BODIES[name](operation, headers);
      await compare({ operation, row: BODY_ROWS[name], fault });
    },
  );

  it.each(lost.filter((name) => !isSilence(name)))("answered with %s", async (name) => {
    await compare({ operation, row: LOST_ROWS[name], fault: () => LOST_ANSWERS[name], kinds: ["no hint"] });
  });

  it("refused a connection", async () => {
    const gone = await listen(() => undefined);
    await gone.close();
    expect(await run(operation, gone.url)).toEqual(expected(operation, UNSENT_ROW, "no hint", "all"));
  });
});

// Silence is waited for in real time: all operations at once, and not every hint, as none of them may matter.
describe("every operation", { timeout: 20_000 }, () => {
  const requestTimeout = 500;

  it.each(bodies.filter(isSilence))("answered with %s", async (name) => {
    const rows = operations.map((operation) => {
      const fault = (headers: Headers): Play => BROKEN_BODIES[name](operation, headers);
      const kinds: Hint[] = ["no hint", "seconds", "beyond the deadline"];
      return compare({ operation, row: BODY_ROWS[name], fault, kinds, requestTimeout });
    });
    await Promise.all(rows);
  });

  it.each(lost.filter(isSilence))("answered with %s", async (name) => {
    const given = { row: LOST_ROWS[name], fault: () => LOST_ANSWERS[name], requestTimeout };
    const kinds: Hint[] = ["no hint"];
    await Promise.all(operations.map((operation) => compare({ ...given, operation, kinds })));
  });
});
