import { PartnerError } from "../../../provider/src/api/errors.js";
import type { Operation } from "../../../provider/src/api/operations.js";
import type { Timing } from "../../../provider/src/api/timing.js";
import { call } from "./calls.ts";
import { OPERATION_TIMEOUT, type Expectation } from "./matrix-oracle.ts";
import type { Ending } from "./matrix-rows.ts";
import { clientFor } from "./support.js";

/** A clock that only waiting moves. */
class VirtualTiming implements Timing {
  readonly waits: number[] = [];
  #now = Date.parse("2026-01-01T00:00:00Z");
  now = (): number => this.#now;
  random = (): number => 0.5;
  sleep(milliseconds: number): Promise<void> {
    if (milliseconds > 0) this.waits.push(milliseconds);
    this.#now += milliseconds;
    return Promise.resolve();
  }
}

/**
 * Lets a new client perform an operation, and says how it went in the words of the oracle. The attempts are those of the
 * debug log, which has a line for each time that undici was called.
 *
 * @param requestTimeout Real milliseconds.
 */
export async function run(operation: Operation, url: string, requestTimeout = 5_000): Promise<Expectation> {
  const timing = new VirtualTiming();
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const options = { timing, log, requestTimeout, operationTimeout: OPERATION_TIMEOUT };
  const client = clientFor({ url, accessToken: "token" }, options);
  const end = await call(client, operation).then(succeeded, failed);
  await client.close();
  return { attempts: lines.length, waits: timing.waits, ...end };
}

type End = Pick<Expectation, "ending" | "tooLong">;

function succeeded(value: unknown): End {
  const partial = typeof value === "object" && value !== null && "whole" in value && value.whole === false;
  return { ending: partial ? "partial" : "done", tooLong: false };
}

function failed(error: unknown): End {
  if (!(error instanceof PartnerError)) throw error;
  const ending = `${error.code.replace("PARTNERS_", "")} ${error.effect}` as Ending;
  return { ending, tooLong: error.message.includes("The server asks to wait") };
}
