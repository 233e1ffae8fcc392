import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, resolve } from "node:path";
import { runProcess } from "../process.ts";

/** A Pulumi CLI that has been run and is new enough. */
export interface Pulumi {
  /** The binary. */
  readonly path: string;
  /** For instance `3.259.0`. */
  readonly version: string;
  /** Where it came from, in words. */
  readonly origin: string;
}

/** The first version whose `pulumi import` of a file keeps the outputs of a dynamic resource. */
export const MINIMUM_VERSION = "3.254.0";

/**
 * Runs a binary to see whether it is a Pulumi CLI of at least {@link MINIMUM_VERSION}.
 *
 * @throws If it does not run, does not say a version, or is too old; the message says which.
 */
export async function verified(path: string, origin: string): Promise<Pulumi> {
  const { code, stdout, stderr } = await runProcess(path, ["version"], {
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
    timeoutMs: 30_000,
  });
  if (code !== 0) throw new Error(`${path} version: exit code ${code} ${stderr.trim()}`.trim());
  const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0];
  if (version === undefined)
    throw new Error(`${path} version: printed ${JSON.stringify(stdout)}, which is no version`);
  if (!atLeast(version, MINIMUM_VERSION))
    throw new Error(`${path} is ${version}, older than ${MINIMUM_VERSION}`);
  return { path, version, origin };
}

/** Compares dotted versions by their first three numbers. */
export function atLeast(version: string, minimum: string): boolean {
  const [have, want] = [version, minimum].map((v) =>
    v.split(".").map((part) => Number.parseInt(part, 10) || 0),
  );
  for (const i of [0, 1, 2]) {
    const difference = (have?.[i] ?? 0) - (want?.[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** The first executable of that name on PATH. */
export async function onPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const candidate = resolve(folder, name);
    if (folder !== "" && (await isExecutable(candidate))) return candidate;
  }
  return undefined;
}

/** Whether this user may run the file. */
export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
