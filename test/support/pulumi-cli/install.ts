import { join } from "node:path";
import { runProcess } from "../process.ts";
import { withProgress } from "./say.ts";

/** A download of 100 MB on a slow line; beyond that the Go module is the better way. */
const LIMIT_MS = 180_000;

/** Run in a process of its own: the SDK's installer takes no time limit and leaves its shell script running. */
const INSTALLER = `
  const [version, root] = process.argv.slice(1);
  require("@pulumi/pulumi/automation").PulumiCommand.install({ version, root }).catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
`;

/**
 * Installs the CLI, with Pulumi's own language host, by the SDK's installer.
 *
 * @throws If the vendor's site cannot be reached, or is too slow.
 */
export async function install(version: string, folder: string): Promise<void> {
  await withProgress(
    `Installing the Pulumi CLI ${version} with the SDK's installer, 3 minutes at most`,
    async () => {
      const { code, stderr } = await runProcess(process.execPath, ["-e", INSTALLER, version, folder], {
        cwd: import.meta.dirname,
        timeoutMs: LIMIT_MS,
        ownGroup: true,
      });
      if (code !== 0) throw new Error(stderr.trim());
    },
  );
}

/** Where the installer puts the binary. */
export const INSTALLED_BINARY = join("bin", "pulumi");
