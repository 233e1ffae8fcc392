/** Installs Pulumi's SDK for Python and the generated SDK, for the engine tests of Python programs. */
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { cacheRoot, fill } from "../build-cache.ts";
import { ROOT } from "../checkout.ts";
import { isExecutable, mustRun, onPath } from "../child-process.ts";
import { generateSdk } from "./generate-sdk.ts";

/** Dependencies of a generated SDK and of its installation, beside those of the example. */
const MORE = ["parver", "setuptools>=61", "wheel"];

const FOUND_VARIABLE = "FOUND_PYTHON";

/** Runs once before the engine tier: installs Pulumi's SDK in a virtual environment, if there is a Python. */
export async function setup(): Promise<void> {
  const python = await onPath("python3");
  if (python === undefined) {
    console.error("python3 is not on PATH, so tests of Python programs are skipped.");
    return;
  }
  const requirements = await readFile(join(ROOT, "examples/python/requirements.txt"), "utf8");
  const contents = (await mustRun(python, ["--version"])) + requirements + MORE.join();
  const environment = join(cacheRoot(), `python-${hash("sha256", contents).slice(0, 12)}`);
  process.env[FOUND_VARIABLE] = join(environment, "bin/python");
  if (await isExecutable(join(environment, "bin/python"))) return;
  console.error("Installing Pulumi's SDK for Python; about half a minute, once per machine ...");
  await fill(environment, async (folder) => {
    await mustRun(python, ["-m", "venv", folder]);
    await pip(join(folder, "bin/python"), ...requirements.trim().split("\n"), ...MORE);
  });
}

/**
 * Generates the Python SDK in a folder, and installs it there as users do.
 *
 * @returns The variables with which the engine runs programs that import it; `undefined` without Python.
 */
export async function pythonEnv(folder: string): Promise<Record<string, string> | undefined> {
  const python = process.env[FOUND_VARIABLE];
  if (python === undefined) return undefined;
  const sources = await generateSdk("python", folder);
  const installed = join(folder, "site-packages");
  await pip(python, "--no-deps", "--no-build-isolation", "--target", installed, sources);
  return { PULUMI_PYTHON_CMD: python, PYTHONPATH: installed };
}

async function pip(python: string, ...args: readonly string[]): Promise<void> {
  const quietly = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  await mustRun(python, [...quietly, ...args], { timeoutMs: 300_000 });
}
