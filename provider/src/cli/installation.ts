import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { isAtLeast } from "../handlers/settings.js";
import { VERSION } from "../version.js";
import { check, type Check } from "./report.js";

/** The oldest CLI version that we test. */
const TESTED_CLI = "3.254.0";

/** Checks the version of the Pulumi CLI. @param version `null` if the CLI does not report a valid one. */
export function checkCliVersion(version: string | null): Check {
  if (version !== null && isAtLeast(version, TESTED_CLI)) return check("ok", "pulumi-cli", version);
  const detail = `This is ${version ?? "an unknown version"}; ${TESTED_CLI} and newer are tested.`;
  return check("warning", "pulumi-cli", detail, "Update the Pulumi CLI.");
}

/** Checks that the plugin loads from the program's folder, where the SDK's dynamic-provider host loads it. */
export function checkPlugin(folder: string): Check {
  const require = createRequire(join(folder, "program.js"));
  let path: string;
  try {
    path = require.resolve("pulumi-partners/plugin");
  } catch {
    const detail = "pulumi-partners cannot be loaded from the program's folder.";
    return check("failed", "plugin", detail, "Install its tarball in that folder with npm install.");
  }
  try {
    require(path);
  } catch {
    const detail = "pulumi-partners is installed, but its plugin does not load.";
    return check("failed", "plugin", detail, "Delete node_modules and install again.");
  }
  const manifest = readFileSync(join(path, "../../../package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  if (version === VERSION) return check("ok", "plugin", `pulumi-partners ${version} loads.`);
  const detail = `The program loads pulumi-partners ${version}; this command is ${VERSION}.`;
  return check("warning", "plugin", detail, "Run npx pulumi-partners in the program's folder.");
}
