import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

import type { Sandbox } from "pulumi-partners/sandbox";
import { inheritedEnv } from "../support/process.ts";
import { type Ended, runProcess } from "../support/process.ts";

const MAIN = join(import.meta.dirname, "../../provider/dist/cli/main.js");

/** A project whose stack may hold what no program of a test could bring into it. */
export interface ScriptedProject {
  readonly folder: string;
  /** Runs `pulumi-partners` in it. */
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Ended>;
}

/**
 * Makes a project called shop, and in place of the Pulumi CLI a script that prints what is given here as its stack. The
 * environment of the script is added to the file `inherited`.
 *
 * @param config As `pulumi config --json` prints it.
 */
export async function scriptedProject(
  sandbox: Sandbox,
  resources: readonly object[],
  config: Readonly<Record<string, object>> = {},
): Promise<ScriptedProject> {
  const folder = await mkdtemp(join(tmpdir(), "partners-scripted-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = {
    "Pulumi.yaml": "name: shop\nruntime: nodejs\n",
    "config.json": JSON.stringify(config),
    "stack.json": JSON.stringify({ deployment: { resources } }),
    "bin/pulumi": `#!/bin/sh
env >> inherited
case "$*" in *--show-name*) echo dev ;; version*) echo v3.259.0 ;; *) cat "$1.json" ;; esac
`,
  };
  await mkdir(join(folder, "bin"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await chmod(join(folder, "bin/pulumi"), 0o755);
  const settings = {
    PATH: `${join(folder, "bin")}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    PARTNERS_BASE_URL: sandbox.url,
    PARTNERS_ACCESS_TOKEN: sandbox.accessToken,
  };
  return {
    folder,
    run: (args, env = {}) =>
      runProcess(process.execPath, [MAIN, ...args], {
        cwd: folder,
        env: { ...inheritedEnv(), ...settings, ...env },
        timeoutMs: 20_000,
      }),
  };
}

/** A resource of ours as it stands in a state. */
export function inState(
  kind: "PartnerApiKey" | "PartnerWebhookState",
  name: string,
  outputs: object,
  more: object = {},
): object {
  const type = `pulumi-nodejs:dynamic/partners:${kind}`;
  return { urn: `urn:pulumi:dev::shop::${type}::${name}`, type, outputs, ...more };
}
