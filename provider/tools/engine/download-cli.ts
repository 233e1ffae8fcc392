/** `node download-cli.ts FOLDER` downloads the Pulumi CLI of the SDK's version into FOLDER/bin. */
import { PulumiCommand } from "@pulumi/pulumi/automation/index.js";

/** Where the SDK's installer starts. */
const SITE = "https://get.pulumi.com/install.sh";
/** Milliseconds in which the site must answer. Some networks let a connection wait for minutes. */
const ANSWER_LIMIT = 15_000;

/** The parts of the SDK that find and install a CLI. */
type Installer = Record<"get" | "install", (options: { root: string }) => Promise<unknown>>;

/**
 * Runs the SDK's installer, unless the folder has a CLI.
 *
 * @throws {Error} if the site cannot be reached, or does not answer in time.
 */
export async function downloadCli(
  root: string,
  fetchSite: typeof fetch = fetch,
  installer: Installer = PulumiCommand,
  limit = ANSWER_LIMIT,
): Promise<void> {
  if (await installer.get({ root }).catch(() => null)) return;
  const { ok, status, body } = await fetchSite(SITE, { signal: AbortSignal.timeout(limit) });
  await body?.cancel();
  if (!ok) throw new Error(`${SITE} returned ${status}.`);
  await installer.install({ root });
}

if (import.meta.main) {
  const [folder = ""] = process.argv.slice(2);
  await downloadCli(folder);
}
