import { createHash } from "node:crypto";
import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";

type Step = NonNullable<EngineEvent["resourcePreEvent"]>["metadata"];

/**
 * Operations that only look at the service: `getPartnerWebhooks`, and a refresh. What follows from them is a
 * step of its own.
 */
const OBSERVING: ReadonlySet<string> = new Set(["read", "refresh"]);

/** What a preview says will change, without the values of secrets: the engine masks them in its events. */
export class Planned {
  readonly #steps: string[] = [];
  #outputs: string | undefined;

  /** Adds an event of the preview, in order. */
  readonly add = ({ resourcePreEvent, resOutputsEvent }: EngineEvent): void => {
    if (resourcePreEvent) this.#addStep(resourcePreEvent.metadata);
    if (resOutputsEvent?.metadata.type === "pulumi:pulumi:Stack") this.#setOutputs(resOutputsEvent.metadata);
  };

  get isEmpty(): boolean {
    return this.#steps.length === 0 && this.#outputs === undefined;
  }

  /** Equal for equal changes. */
  get digest(): string {
    // Steps arrive in the order in which they end, which varies.
    const changes = [...[...this.#steps].sort(), this.#outputs ?? ""];
    return createHash("sha256").update(changes.join("\n")).digest("hex").slice(0, 16);
  }

  #addStep({ op, urn, old, new: planned }: Step): void {
    if (OBSERVING.has(op)) return;
    // A step can be "same" although an option such as `protect` or `retainOnDelete` changes.
    if (op !== "same" || described(old) !== described(planned))
      this.#steps.push(JSON.stringify([op, urn, described(planned)]));
  }

  /**
   * Sets the outputs. The stack reports them twice: when it starts, with the old ones, and when the program
   * has ended.
   */
  #setOutputs({ old, new: planned }: Step): void {
    const outputs = JSON.stringify(planned?.outputs ?? {});
    this.#outputs = outputs === JSON.stringify(old?.outputs ?? {}) ? undefined : outputs;
  }
}

/** Describes a resource as the program declares it, with the options that the engine reports. */
function described(state: Step["new"]): string | undefined {
  return (
    state &&
    JSON.stringify([
      state.urn,
      state.parent,
      state.provider,
      state.protect ?? false,
      state.retainOnDelete ?? false,
      state.inputs,
    ])
  );
}
