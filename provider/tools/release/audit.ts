/**
 * `npm run audit` fails if a package that users install has a known vulnerability. Passes with a warning if
 * the registry does not support audits, as many mirrors do not.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../checkout.ts";

interface Report {
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> };
  readonly message?: string;
}

for (const cwd of [ROOT, join(ROOT, "provider/plugin")]) {
  const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], { cwd, encoding: "utf8" });
  const { metadata, message = "npm printed no report" } = JSON.parse(stdout || "{}") as Report;
  if (!metadata) {
    console.warn(`Audit skipped: ${message.split(" - ")[0] ?? ""}`);
  } else {
    const found = metadata.vulnerabilities["total"] ?? 0;
    console.log(`npm audit: ${found} known vulnerabilities in the packages that users install.`);
    if (found > 0) process.exitCode = 1;
  }
}
