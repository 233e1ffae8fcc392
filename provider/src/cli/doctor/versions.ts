import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { messageOf } from "../../plugin/boundary.js";
import { assertNodeVersion } from "../../plugin/session.js";
import { CommandError } from "../command.js";
import { pulumi } from "../pulumi-cli.js";
import { failed, ok, warning, type Check } from "./report.js";

/** The oldest CLI that we test with; import files of dynamic resources work since then. */
const TESTED_CLI = "3.254.0";

/** Whether this Node can run the provider. */
export function checkNode(version: string = process.versions.node): Check {
  try {
    assertNodeVersion(version);
    return ok("node", version);
  } catch (error) {
    return failed("node", messageOf(error));
  }
}

/** Whether there is a Pulumi CLI, of a version that is tested. */
export async function checkCli(cwd: string): Promise<Check> {
  try {
    const version = (await pulumi(["version"], cwd)).trim().replace(/^v/, "");
    if (isAtLeast(version, TESTED_CLI)) return ok("pulumi-cli", shown(version));
    return warning(
      "pulumi-cli",
      `${shown(version)} is older than ${TESTED_CLI}, the oldest that is tested.`,
      "Update the Pulumi CLI.",
    );
  } catch (error) {
    return failed("pulumi-cli", error instanceof CommandError ? error.message : messageOf(error));
  }
}

/** Whether the SDK that a program in a folder would load is of a version that this package is made for. */
export function checkSdk(folder: string): Check {
  const { peerDependencies } = manifestAt(join(__dirname, "../../../package.json"));
  const range = peerDependencies?.["@pulumi/pulumi"] ?? "";
  const [oldest = "0.0.0"] = /\d+\.\d+\.\d+/.exec(range) ?? [];
  const install = "npm install @pulumi/pulumi";
  let version: string;
  try {
    version = manifestAt(
      createRequire(join(folder, "program.js")).resolve("@pulumi/pulumi/package.json"),
    ).version;
  } catch {
    return failed("pulumi-sdk", "@pulumi/pulumi cannot be loaded from the folder of the program.", install);
  }
  const sameMajor = version.split(".")[0] === oldest.split(".")[0];
  if (sameMajor && isAtLeast(version, oldest)) return ok("pulumi-sdk", shown(version));
  return failed(
    "pulumi-sdk",
    `${shown(version)} is not in the range ${range} that this package needs.`,
    install,
  );
}

/** The members of a package.json that matter here. */
export interface Manifest {
  readonly version: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Reads a package.json. @throws if there is none, or it is none. */
export function manifestAt(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8")) as Manifest;
}

function isAtLeast(version: string, oldest: string): boolean {
  const [have, need] = [version, oldest].map((text) => text.split(".").map((part) => parseInt(part, 10)));
  for (const [index, part] of (need ?? []).entries()) {
    const difference = (have?.[index] ?? 0) - part;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** A version as it may be printed: what a file or a command says is not ours. */
function shown(version: string): string {
  return /^[\w.+-]{1,64}$/.test(version) ? version : "an unknown version";
}
