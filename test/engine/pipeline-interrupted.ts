import { readFile, writeFile } from "node:fs/promises";

import type { PipelineStack } from "./pipeline-stack.ts";

interface StateFile {
  readonly checkpoint: { readonly latest: Record<string, unknown> };
}

/** Leaves the state as a CLI does that is killed between the creation of a key and the writing of the state. */
export async function leaveInterrupted({ stateFile }: PipelineStack): Promise<void> {
  const type = "pulumi-nodejs:dynamic/partners:PartnerApiKey";
  const urn = `urn:pulumi:production::partners-pipeline::${type}::checkout`;
  const state = JSON.parse(await readFile(stateFile, "utf8")) as StateFile;
  state.checkpoint.latest["pending_operations"] = [
    { type: "creating", resource: { urn, type, custom: true, inputs: {}, outputs: {} } },
  ];
  await writeFile(stateFile, JSON.stringify(state));
}
