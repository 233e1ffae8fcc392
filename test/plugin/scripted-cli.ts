import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

import { type Ended, inheritedEnv, runProcess } from "../support/process.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAIN = join(ROOT, "provider/dist/cli/main.js");

/** What the Pulumi CLI reports. */
export interface Script {
  /** As `pulumi config --json` prints it. @default none */
  readonly config?: Readonly<Record<string, { value: string; secret?: boolean }>>;
  /** The resources of the state. @default none */
  readonly resources?: readonly object[];
  /** The stack that is selected. @default "dev" */
  readonly selected?: string | null;
  /** What every command but `version` fails with. @default nothing fails */
  readonly error?: string;
  /** More files of the project, by path. @default Pulumi.yaml */
  readonly files?: Readonly<Record<string, string>>;
}

/** A project whose stack may hold what no program of a test could bring into it. */
export interface ScriptedProject {
  readonly folder: string;
  /** Runs `pulumi-partners` in it. */
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Ended>;
  /** The commands that the CLI was given so far. */
  readonly commands: () => Promise<string[]>;
}

/** Creates a project that has a script in place of the Pulumi CLI. */
export async function scriptedProject(script: Script = {}): Promise<ScriptedProject> {
  const { config = {}, resources = [], selected = "dev", error = "", files = {} } = script;
  const folder = await mkdtemp(join(tmpdir(), "partners-scripted-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const written = {
    "Pulumi.yaml": "name: shop\nruntime: nodejs\n",
    "error.txt": error,
    "config.json": JSON.stringify(config),
    "export.json": JSON.stringify({ version: 3, deployment: { resources } }),
    "ls.json": JSON.stringify([
      { name: "other", current: false },
      ...(selected === null ? [] : [{ name: selected, current: true }]),
    ]),
    "bin/pulumi": `#!/bin/sh
cd '${folder}'
[ "$1" = version ] && { echo v3.259.0; exit; }
echo "$*" >> commands
[ -s error.txt ] && { cat error.txt >&2; exit 255; }
case "$1 $2" in "stack ls") cat ls.json ;; "stack export") cat export.json ;; config*) cat config.json ;; *) exit 1 ;; esac
`,
    ...files,
  };
  for (const [path, text] of Object.entries(written)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await chmod(join(folder, "bin/pulumi"), 0o755);
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const PATH = `${join(folder, "bin")}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`;
  return {
    folder,
    commands: async () => (await readFile(join(folder, "commands"), "utf8")).trim().split("\n"),
    run: (args, env = {}) =>
      runProcess(process.execPath, [MAIN, ...args], {
        cwd: folder,
        env: { ...inheritedEnv(), PATH, ...env },
        timeoutMs: 30_000,
      }),
  };
}

/** Starts a service that answers everything alike, and ends with the test. @returns its URL */
export async function serviceOf(
  status: number,
  body: string,
  headers: OutgoingHttpHeaders = {},
): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A webhook resource as it is in a state. */
export function webhookInState(
  name: string,
  webhookId: number,
  more: object = {},
  type = "pulumi-nodejs:dynamic/partners:PartnerWebhookState",
): object {
  return {
    urn: `urn:pulumi:dev::shop::${type}::${name}`,
    type,
    outputs: { webhookId, account: "default" },
    ...more,
  };
}

/** A `Provider` of the program as it is in a state. */
export function providerInState(name: string): { urn: string; inputs: object } {
  const urn = `urn:pulumi:dev::shop::pulumi:providers:pulumi-nodejs::${name}`;
  return { urn, inputs: { "partners:explicit": "true", "partners:account": name } };
}
