/** Generates SDKs as `pulumi package add` does, and says whether Java programs can run here. */
import { join } from "node:path";
import { ROOT } from "../checkout.ts";
import { mustRun, onPath } from "../child-process.ts";
import { engineEnv } from "./engine-env.ts";
import { languageHost } from "./pulumi-cli.ts";

/**
 * Generates an SDK.
 *
 * @param folder Where the folder with the name of the language is created.
 * @returns That folder.
 * @throws {Error} with the diagnostics of the schema.
 */
export async function generateSdk(
  language: "go" | "java" | "nodejs" | "python",
  folder: string,
  schema = join(ROOT, "provider/schema.json"),
): Promise<string> {
  const engine = await engineEnv();
  try {
    const args = ["package", "gen-sdk", schema, "--language", language, "--out", folder];
    await mustRun("pulumi", args, { cwd: ROOT, env: engine.env });
  } finally {
    await engine.dispose();
  }
  return join(folder, language);
}

/** Returns why Java programs cannot run here; `undefined` if they can. */
export async function javaProblem(): Promise<string | undefined> {
  if ((await languageHost("java")) === undefined) return "The Pulumi CLI has no language host for Java.";
  if ((await onPath("javac")) === undefined) return "There is no JDK on PATH.";
  return (await onPath("mvn")) === undefined ? "Maven is not on PATH." : undefined;
}
