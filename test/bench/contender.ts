import type { Kind, Measurement, Step } from "./case.ts";
import type { SandboxProcess } from "./sandbox-process.ts";

/** A way to manage the resources. */
export interface Contender {
  readonly name: string;
  /** What it is, for the page. */
  readonly description: string;
  /** Why it cannot take part here; `null` if it can. */
  unavailable(kind: Kind): Promise<string | null>;
  /** Declares the resources, and applies nothing yet. */
  begin(kind: Kind, count: number, sandbox: SandboxProcess): Promise<Subject>;
}

/** What a contender has declared. */
export interface Subject {
  /** @throws if the operation fails, as there is nothing to measure then. */
  run(step: Step): Promise<Measurement>;
  dispose(): Promise<void>;
}
