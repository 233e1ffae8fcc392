import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import gte from "semver/functions/gte.js";
import satisfies from "semver/functions/satisfies.js";
import valid from "semver/functions/valid.js";

import {
  PARTNER_API_KEY,
  PARTNER_WEBHOOK_STATE,
  PARTNER_WEBHOOK_STATES,
  PARTNER_WEBHOOKS,
} from "../registration.js";
import { VERSION } from "../version.js";
import { failed, ok, warning, type Check } from "./report.js";

/** The oldest CLI that we test with. */
const TESTED_CLI = "3.254.0";

/** Checks the version of the Pulumi CLI. @param version `null` if the CLI reports none that can be read. */
export function checkCliVersion(version: string | null): Check {
  if (version !== null && gte(version, TESTED_CLI)) return ok("pulumi-cli", version);
  return warning(
    "pulumi-cli",
    `${version ?? "An unknown version"} is not tested; ${TESTED_CLI} and newer are.`,
    "Update the Pulumi CLI.",
  );
}

/** Checks that the SDK that a program in a folder loads is in the range that this package needs. */
export function checkSdk(folder: string): Check {
  const { peerDependencies } = readManifest(join(__dirname, "../../package.json"));
  const range = peerDependencies?.["@pulumi/pulumi"] ?? "*";
  const install = "npm install @pulumi/pulumi";
  let version: string | null;
  try {
    version = valid(readManifest(requireFrom(folder).resolve("@pulumi/pulumi/package.json")).version);
  } catch {
    return failed("pulumi-sdk", "@pulumi/pulumi cannot be loaded from the program's folder.", install);
  }
  if (version !== null && satisfies(version, range, { includePrerelease: true }))
    return ok("pulumi-sdk", version);
  const shown = version ?? "An unknown version";
  return failed("pulumi-sdk", `${shown} is not in the range ${range} that pulumi-partners needs.`, install);
}

/**
 * Checks that the plugin loads from the program's folder, the way the SDK's dynamic-provider host does it: by evaluating the
 * strings that are in the state, with a `require` that starts there.
 */
export function checkPlugin(folder: string): Check {
  const require = requireFrom(folder);
  let path: string;
  try {
    path = require.resolve("pulumi-partners/plugin");
  } catch {
    const detail = "pulumi-partners cannot be loaded from the program's folder.";
    return failed("plugin", detail, "Install its tarball in that folder with npm install.");
  }
  try {
    for (const { __provider } of [
      PARTNER_API_KEY,
      PARTNER_WEBHOOK_STATE,
      PARTNER_WEBHOOK_STATES,
      PARTNER_WEBHOOKS,
    ])
      loadHandlers(__provider, require);
  } catch {
    const detail = "pulumi-partners is installed, but its plugin does not load.";
    return failed("plugin", detail, "Delete node_modules and install again.");
  }
  const { version } = readManifest(join(path, "../../../package.json"));
  if (version === VERSION) return ok("plugin", `pulumi-partners ${version} loads.`);
  const detail = `The program loads another version of pulumi-partners than this command, which is ${VERSION}.`;
  return warning("plugin", detail, "Run npx pulumi-partners in the program's folder.");
}

interface Manifest {
  readonly version: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8")) as Manifest;
}

function requireFrom(folder: string): NodeJS.Require {
  return createRequire(join(folder, "program.js"));
}

/** @throws if there are none */
function loadHandlers(code: string, require: NodeJS.Require): void {
  const exports: { handler?: () => unknown } = {};
  const evaluate = compileFunction(code, ["require", "exports"]) as (...args: unknown[]) => void;
  evaluate(require, exports);
  if (exports.handler?.() === undefined) throw new Error("no handlers");
}
