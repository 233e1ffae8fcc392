import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import type { Ended } from "./process.ts";

/** What an operation of the engine said and did. */
export interface Report {
  readonly stdout: string;
  readonly stderr: string;
  /** The engine's events in order, without debug messages: in those, the SDK itself writes secret outputs in clear. */
  readonly events: readonly EngineEvent[];
  /** The same as one text, to look for what must not be there. */
  readonly eventLog: string;
  /** How many resources met which fate, the stack itself included: `{ create: 2, same: 1 }`. Empty if it failed early. */
  readonly changes: Readonly<Record<string, number>>;
  /** Milliseconds, from the start of the CLI to its end. */
  readonly ms: number;
}

/** The outcome of an operation. A failed one is a result, not an exception: tests look at it. */
export type Result = Report & ({ readonly ok: true } | { readonly ok: false; readonly error: string });

/** Reads the outcome from what the CLI printed and from the event log that it wrote. */
export function toResult({ code, stdout, stderr, ms }: Ended, log: string): Result {
  const lines = log.split("\n").filter((line) => line !== "" && !line.includes('"severity":"debug"'));
  const events = lines.map((line) => JSON.parse(line) as EngineEvent);
  const changes = events.find((event) => event.summaryEvent)?.summaryEvent?.resourceChanges ?? {};
  const report = { stdout, stderr, events, eventLog: lines.join("\n"), changes, ms };
  return code === 0 ? { ...report, ok: true } : { ...report, ok: false, error: errorText(events, stderr) };
}

/** What a person would read as errors: the engine's diagnostics, and what the CLI itself says. */
function errorText(events: readonly EngineEvent[], stderr: string): string {
  const diagnostics = events.flatMap(({ diagnosticEvent }) =>
    diagnosticEvent?.severity === "error" ? [plain(diagnosticEvent.message)] : [],
  );
  return [...diagnostics, stderr].join("\n").trim();
}

/** Without the colour tags of the engine's messages: `<{%fg 1%}>`. */
function plain(message: string): string {
  return message.replaceAll(/<\{%.*?%\}>/g, "");
}
