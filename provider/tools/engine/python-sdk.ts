/** Installs Pulumi's SDK for Python and the generated SDK, for the engine tests of Python programs. */
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { cacheRoot, fill } from "../build-cache.ts";
import { ROOT } from "../checkout.ts";
import { isExecutable, mustRun, onPath } from "../child-process.ts";
import { canGenerate, generate } from "../codegen/generators.ts";

/** The example's dependencies. `pulumi package add` adds the generated SDK. */
const requirements = (): Promise<string> => readFile(join(ROOT, "examples/python/requirements.txt"), "utf8");
/** Further dependencies of a generated SDK and of its installation. */
const MORE = ["parver", "setuptools>=61", "wheel"];

const FOUND_VARIABLE = "FOUND_PYTHON";

/**
 * Runs once before the engine tier: creates a virtual environment with Pulumi's SDK. Prints a note if there
 * is no Python.
 */
export async function setup(): Promise<void> {
  const python = await onPath("python3");
  if (python === undefined) {
    console.error("python3 is not on PATH, so tests of Python programs are skipped.");
    return;
  }
  const contents = (await mustRun(python, ["--version"])) + (await requirements()) + MORE.join();
  const environment = join(cacheRoot(), `python-${hash("sha256", contents).slice(0, 12)}`);
  process.env[FOUND_VARIABLE] = join(environment, "bin/python");
  if (await isExecutable(join(environment, "bin/python"))) return;
  console.error("Installing Pulumi's SDK for Python; about half a minute, once per machine ...");
  await fill(environment, async (folder) => {
    await mustRun(python, ["-m", "venv", folder]);
    await pip(join(folder, "bin/python"), ...(await requirements()).trim().split("\n"), ...MORE);
  });
}

/**
 * Generates the Python SDK in a folder, and installs it there as users do.
 *
 * @returns The variables with which the engine runs programs that import it; `undefined` without Python or
 * Go.
 */
export async function pythonEnv(folder: string): Promise<Record<string, string> | undefined> {
  const python = process.env[FOUND_VARIABLE];
  if (python === undefined || !(await canGenerate())) return undefined;
  const [sources, installed] = [join(folder, "python"), join(folder, "site-packages")];
  await generate({ python: sources });
  await pip(python, "--no-deps", "--no-build-isolation", "--target", installed, sources);
  // Pulumi's own language host uses the same variables.
  return { PULUMI_PYTHON_CMD: python, PYTHONPATH: installed };
}

async function pip(python: string, ...args: readonly string[]): Promise<void> {
  const quietly = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  await mustRun(python, [...quietly, ...args], { timeoutMs: 300_000 });
}
