import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";

// As built: the checks look for the package.json next to dist/.
import { checkCliVersion, checkPlugin, checkSdk } from "../../../provider/dist/cli/installation.js";

const ROOT = join(import.meta.dirname, "../../..");

test.each([
  ["3.254.0", "ok"],
  ["3.253.9", "warning"],
  [null, "warning"],
])("the CLI %s is %s", (version, status) => {
  expect(checkCliVersion(version).status).toBe(status);
});

/** A folder with an installed package. */
async function folderWith(name: string, version: string, plugin: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "partners-installation-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const exports = { "./plugin": "./dist/a/b.js", "./package.json": "./package.json" };
  const installed = join(folder, "node_modules", name);
  await mkdir(join(installed, "dist/a"), { recursive: true });
  await writeFile(join(installed, "package.json"), JSON.stringify({ name, version, exports }));
  await writeFile(join(installed, "dist/a/b.js"), plugin);
  return folder;
}

test.each([
  ["3.299.0-alpha.1", "ok"],
  ["3.1.0", "failed"],
  ["4.0.0", "failed"],
  ["hunter22", "failed"],
])("the SDK %s is %s", async (version, status) => {
  const check = checkSdk(await folderWith("@pulumi/pulumi", version, ""));
  expect(check.status).toBe(status);
  expect(JSON.stringify(check)).not.toContain("hunter22");
});

describe("the plugin", () => {
  const complete = "module.exports = new Proxy({}, { get: () => ({}) });";

  test.each([
    ["is of another version", "0.0.1", complete, "warning", "npx pulumi-partners"],
    ["lacks handlers", "0.1.0", "exports.partnerApiKey = {};", "failed", "install again"],
    ["throws", "0.1.0", "throw new Error('hunter22')", "failed", "install again"],
  ])("that %s is reported", async (_what, version, plugin, status, remedy) => {
    const check = checkPlugin(await folderWith("pulumi-partners", version, plugin));
    expect(check.status).toBe(status);
    expect(check.remedies.join()).toContain(remedy);
    expect(JSON.stringify(check)).not.toContain("hunter22");
  });

  test("that is not installed is to be installed, like the SDK", () => {
    const remedies = [expect.stringContaining("npm install") as string];
    expect(checkPlugin(tmpdir())).toMatchObject({ status: "failed", remedies });
    expect(checkSdk(tmpdir())).toMatchObject({ status: "failed", remedies: ["npm install @pulumi/pulumi"] });
  });

  test("of this build loads by the strings that are in a state", async () => {
    const folder = await mkdtemp(join(tmpdir(), "partners-installation-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    expect(checkPlugin(folder)).toMatchObject({ status: "ok" });
  });
});
