import { startSandbox, type Sandbox } from "../../support/sandbox.ts";

import { engineEnv, type Engine } from "../../support/engine-env.ts";
import { packedProject, type Packages } from "../../support/packed-project.ts";
import type { PackageManager } from "../../support/tested-versions.ts";
import { environmentFor } from "../support.ts";

/** A project with the packed package, an engine for it, and an account in a sandbox. */
export interface Packed {
  readonly engine: Engine;
  readonly sandbox: Sandbox;
  /** The project's folder. */
  readonly cwd: string;
  dispose(): Promise<void>;
}

/** Made once for a test file: installing is the slow part. */
export async function setUp(manager: PackageManager, packages?: Packages): Promise<Packed> {
  const sandbox = await startSandbox();
  const engine = await engineEnv(environmentFor(sandbox));
  const dispose = async (): Promise<void> => {
    await sandbox.close();
    await engine.dispose();
  };
  try {
    return { engine, sandbox, cwd: await packedProject(engine, manager, packages), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
