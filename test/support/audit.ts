/**
 * Fails if a package that users get has a known vulnerability. Where the registry answers no audits (mirrors often do not), it
 * says so and passes: the packages are not at fault.
 */
import { spawnSync } from "node:child_process";

interface Report {
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> };
  readonly message?: string;
}

const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], { encoding: "utf8" });
const { metadata, message = "npm printed no report" } = JSON.parse(stdout || "{}") as Report;
if (!metadata) {
  console.warn(`Not audited: ${message.split(" - ")[0] ?? ""}`);
} else {
  const found = metadata.vulnerabilities["total"] ?? 0;
  console.log(`npm audit: ${found} known vulnerabilities in what users get.`);
  if (found > 0) process.exitCode = 1;
}
