import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox, type Sandbox } from "pulumi-partners/sandbox";

import { runPulumi } from "./cli.ts";
import { startGate, type Gate } from "./crash-gate.ts";
import { descendantsOf } from "./crash-processes.ts";
import { INITIAL, programOf, seedsOf, statesOf, STEPS, type States, type Step } from "./crash-scenario.ts";
import { readState, type RecordedState } from "./crash-state.ts";
import type { Result } from "./operation.ts";
import type { Ended } from "./process.ts";
import { createTestStack } from "./stack.ts";

/** The access token of every sandbox of a sweep, as the stack's environment does not change. */
const ACCESS_TOKEN = "token-of-the-crash-sweep";

/** The scenario of {@link STEPS}, which can be begun anew at each step. */
export interface Sweep {
  readonly gate: Gate;
  /** Brings stack and server to where a step begins. The sandbox is closed at the next call. */
  begin(step: Step): Promise<Sandbox>;
  /** Runs the step's engine operation, with further flags of the CLI. */
  run(step: Step, ...flags: string[]): Promise<Result>;
  /** `pulumi refresh --clear-pending-creates`, which Pulumi asks for after an interrupted creation. */
  clearPendingCreates(): Promise<Result>;
  /** `pulumi cancel`, which removes the lock that a killed CLI leaves. */
  cancel(): Promise<Ended>;
  /** What the state says now. */
  state(): Promise<RecordedState>;
  /** The CLI and the plugin of the operation that runs, by process id. @throws unless there is one of each. */
  processes(): { readonly cli: number; readonly plugin: number };
  dispose(): Promise<void>;
}

interface Beginning {
  readonly backend: string;
  readonly apiKeys: readonly string[];
  readonly states: States;
}

/** Runs the steps once without harm, and remembers how each begins. @throws if one does not do what it should. */
export async function startSweep(steps: readonly Step[] = STEPS): Promise<Sweep> {
  const gate = await startGate();
  const stack = await createTestStack({
    program: () => Promise.resolve({}),
    env: { PARTNERS_BASE_URL: gate.url, PARTNERS_ACCESS_TOKEN: ACCESS_TOKEN },
  });
  const backend = join(stack.backendDir, ".pulumi");
  const beginnings = new Map<Step, Beginning>();
  let sandbox: Sandbox | null = null;

  const openSandbox = async (apiKeys: readonly string[], states: States): Promise<Sandbox> => {
    await sandbox?.close();
    sandbox = await startSandbox({ accessToken: ACCESS_TOKEN, apiKeys, webhooks: seedsOf(states) });
    gate.leadTo(sandbox.url);
    return sandbox;
  };

  const sweep: Sweep = {
    gate,
    begin: async (step) => {
      const beginning = beginnings.get(step);
      if (!beginning) throw new Error(`The scenario did not get to ${step.name}.`);
      await rm(backend, { recursive: true });
      await cp(beginning.backend, backend, { recursive: true });
      stack.setProgram(programOf(step));
      return openSandbox(beginning.apiKeys, { ...beginning.states, ...step.drift });
    },
    run: (step, ...flags) => stack[step.operation]({ flags }),
    clearPendingCreates: () => stack.refresh({ flags: ["--clear-pending-creates"] }),
    cancel: () =>
      runPulumi(["cancel", "--yes"], { cwd: join(stack.backendDir, "..", "project"), env: stack.env }),
    state: async () => readState(await stack.stateFile()),
    processes: () => {
      // The first argument of the real CLI; of other tests' processes, none is a descendant of this one.
      const below = descendantsOf(process.pid);
      const cli = below.filter(({ command: [program = ""] }) => program === "pulumi");
      const plugin = below.filter(({ command: [, script = ""] }) => script.includes("cmd/dynamic-provider"));
      if (cli[0] === undefined || plugin[0] === undefined || cli.length + plugin.length > 2) {
        throw new Error(`One CLI and one plugin should run, not ${cli.length} and ${plugin.length}.`);
      }
      return { cli: cli[0].pid, plugin: plugin[0].pid };
    },
    dispose: async () => {
      await stack.dispose();
      await sandbox?.close();
      await gate.close();
    },
  };

  let { apiKeys, states }: Pick<Beginning, "apiKeys" | "states"> = { apiKeys: [], states: INITIAL };
  for (const step of steps) {
    const copy = join(stack.backendDir, "..", `before-${step.name}`);
    await cp(backend, copy, { recursive: true });
    beginnings.set(step, { backend: copy, apiKeys, states });
    const server = await sweep.begin(step);
    const result = await sweep.run(step);
    if (!result.ok || gate.requests.join() !== step.requests.join()) {
      throw new Error(`${step.name}: ${gate.requests.join()}\n${result.stdout}\n${result.stderr}`);
    }
    apiKeys = server.apiKeys;
    states = statesOf(server);
  }
  return sweep;
}
