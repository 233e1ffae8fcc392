import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";

import { CANARIES, findLeaks } from "../support/canary.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Ended, inheritedEnv, runProcess } from "../../provider/tools/process.ts";

/** The root folder of the repository. */
export const ROOT = join(import.meta.dirname, "../..");
/** The built CLI. */
export const MAIN = join(ROOT, "provider/dist/cli/main.js");

/** Runs the CLI with Node but without the Pulumi CLI on PATH, by default outside any project. Its output must contain no canary. */
export async function runAlone(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = tmpdir(),
): Promise<Ended> {
  const PATH = dirname(process.execPath);
  const options = { env: { ...inheritedEnv(), PATH, ...env }, cwd, timeoutMs: 30_000 };
  const ended = await runProcess(process.execPath, [MAIN, ...args], options);
  expect(findLeaks({ stdout: ended.stdout, stderr: ended.stderr }, CANARIES)).toEqual([]);
  return ended;
}

/** The output of the scripted Pulumi CLI. */
export interface Script {
  /** The output of `pulumi config --json`. @default none */
  readonly config?: Readonly<Record<string, { value: string; secret?: boolean }>>;
  /** The resources of the state. @default none */
  readonly resources?: readonly object[];
  /** The pending operations of the state. @default none */
  readonly pending?: readonly object[];
  /** The selected stack. @default "dev" */
  readonly selected?: string | null;
  /** The error of every command except `version`. @default no error */
  readonly error?: string;
}

/**
 * Creates a project with a script instead of the Pulumi CLI, so that its stack can contain anything.
 *
 * @returns A function that runs our CLI in the project, and one that returns the commands that the script has received.
 */
export async function scriptedProject({
  config = {},
  resources = [],
  pending = [],
  selected = "dev",
  error = "",
}: Script) {
  const folder = await temporaryFolder();
  const stacks = [
    { name: "other", current: false },
    { name: selected, current: true },
  ];
  const written = {
    "Pulumi.yaml": "name: shop\nruntime: nodejs\n",
    "error.txt": error,
    "config.json": JSON.stringify(config),
    "export.json": JSON.stringify({ version: 3, deployment: { resources, pending_operations: pending } }),
    "ls.json": JSON.stringify(stacks.filter(({ name }) => name !== null)),
    "bin/pulumi": `#!/bin/sh
cd '${folder}'
[ "$1" = version ] && { echo v3.259.0; exit; }
echo "$*" >> commands
[ -s error.txt ] && { cat error.txt >&2; exit 255; }
case "$1 $2" in "stack ls") cat ls.json ;; "stack export") cat export.json ;; config*) cat config.json ;; *) exit 1 ;; esac
`,
  };
  for (const [path, text] of Object.entries(written)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await chmod(join(folder, "bin/pulumi"), 0o755);
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const PATH = `${join(folder, "bin")}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`;
  return {
    run: (args: readonly string[], env = {}) => runAlone(args, { PATH, ...env }, folder),
    commands: async () => (await readFile(join(folder, "commands"), "utf8")).trim().split("\n"),
  };
}

/** Returns a webhook resource as it appears in the state. */
export function webhookInState(name: string, webhookId: number, more: object = {}): object {
  const type = "pulumi-nodejs:dynamic/partners:PartnerWebhookState";
  const outputs = { webhookId, account: "default" };
  return { urn: `urn:pulumi:dev::shop::${type}::${name}`, type, outputs, ...more };
}
