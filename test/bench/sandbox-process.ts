import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { SandboxOptions } from "pulumi-partners/sandbox";

/** A sandbox in a process of its own. */
export interface SandboxProcess {
  readonly url: string;
  readonly accessToken: string;
  /** What reached the sandbox since the last call, counted by method. */
  takeRequests(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

/** Starts one. @param options What can be written as JSON. */
export async function startSandboxProcess(options: SandboxOptions): Promise<SandboxProcess> {
  const child = fork(join(import.meta.dirname, "sandbox-server.ts"), [JSON.stringify(options)]);
  const [settings] = (await once(child, "message")) as [{ url: string; accessToken: string }];
  return {
    ...settings,
    takeRequests: async () => {
      child.send("take");
      const [counts] = (await once(child, "message")) as [Record<string, number>];
      return counts;
    },
    stop: async () => {
      child.disconnect();
      await once(child, "exit");
    },
  };
}
