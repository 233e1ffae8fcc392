import { createRequire } from "node:module";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createTestStack, type OperationOptions, type TestStack } from "../support/stack.ts";
import type { Result } from "../support/stack.ts";
import type { Kind, Step } from "./case.ts";
import type { Subject } from "./contender.ts";
import { PluginUsage } from "./plugin-usage.ts";
import type { SandboxProcess } from "./sandbox-process.ts";

/** What is declared. */
export interface Declared {
  /** The name of a file in programs/. */
  readonly program: string;
  readonly kind: Kind;
  readonly count: number;
}

/** What an operation runs in. */
export interface Surroundings {
  /** Further variables for the engine. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** Further flags of every operation. @default none */
  readonly flags?: readonly string[];
  /**
   * Whether the program is a process that the engine starts at each operation, and not run by this one.
   * @default false
   */
  readonly ownProcess?: boolean;
}

/** Milliseconds for one operation: the engine takes minutes for some thousand resources. */
const TIMEOUT = 1_800_000;

/** The tests keep compiled code, and users do not. */
const AS_USUAL = { NODE_COMPILE_CACHE: "" };

const OPERATIONS: Readonly<Record<Step, (stack: TestStack, options: OperationOptions) => Promise<Result>>> = {
  up: (stack, options) => stack.up(options),
  "unchanged up": (stack, options) => stack.up(options),
  preview: (stack, options) => stack.preview(options),
  refresh: (stack, options) => stack.refresh(options),
  destroy: (stack, options) => stack.destroy(options),
};

/** A stack of its own, whose program declares the resources. */
export async function pulumiSubject(
  { program, kind, count }: Declared,
  sandbox: SandboxProcess,
  { env = {}, flags = [], ownProcess = false }: Surroundings,
): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), "partners-bench-"));
  const usage = new PluginUsage(folder);
  const settings = { PARTNERS_BASE_URL: sandbox.url, PARTNERS_ACCESS_TOKEN: sandbox.accessToken };
  const inline = (): Promise<object> => {
    const require = createRequire(join(stack.projectDir, "index.js"));
    const { declare } = require("./program.js") as { declare: (kind: Kind, count: number) => void };
    // Called from nowhere: the SDK keeps the stack trace of each resource in the state, and the bench has no part in it.
    return Promise.resolve()
      .then(declare.bind(null, kind, count))
      .then(() => ({}));
  };
  const stack = await createTestStack({
    program: ownProcess ? undefined : inline,
    files: {
      "package.json": "{}",
      "index.js": `require("./program.js").declare(${JSON.stringify(kind)}, ${count});\n`,
      "program.js": await source(`${program}.cjs`),
      "engine-handlers.cjs": await source("engine-handlers.cjs"),
    },
    env: { ...settings, ...usage.env, ...AS_USUAL, ...env },
  });
  return {
    run: async (step) => {
      const options = { flags, timeoutMs: TIMEOUT };
      const [result, used] = await usage.during(() => OPERATIONS[step](stack, options));
      if (!result.ok) throw new Error(`${step} failed: ${result.error}`);
      return {
        ms: result.ms,
        requests: await sandbox.takeRequests(),
        memory: used?.memory ?? null,
        cpu: used?.cpu ?? null,
        stateBytes: Buffer.byteLength(await stack.stateFile()),
      };
    },
    dispose: async () => {
      await stack.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function source(file: string): Promise<string> {
  return readFile(join(import.meta.dirname, "programs", file), "utf8");
}
