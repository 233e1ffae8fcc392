import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";

// As built: the checks look for the package.json next to dist/.
import { checkCliVersion, checkPlugin } from "../../../provider/dist/cli/installation.js";

const ROOT = join(import.meta.dirname, "../../..");

test.each([
  ["3.254.0", "ok"],
  ["3.253.9", "warning"],
  [null, "warning"],
])("the CLI %s is %s", (version, status) => {
  expect(checkCliVersion(version).status).toBe(status);
});

/** A folder with an installed package. */
async function folderWith(version: string, plugin: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "partners-installation-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const name = "pulumi-partners";
  const manifest = { name, version, exports: { "./plugin": "./dist/a/b.js" } };
  const files = { "package.json": JSON.stringify(manifest), "dist/a/b.js": plugin };
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, "node_modules", name, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return folder;
}

describe("the plugin", () => {
  test.each([
    ["is of another version", "0.0.1", "", "warning", "npx pulumi-partners"],
    ["throws", "0.1.0", "throw new Error('hunter22')", "failed", "install again"],
  ])("that %s is reported", async (_what, version, plugin, status, remedy) => {
    const check = checkPlugin(await folderWith(version, plugin));
    expect(check.status).toBe(status);
    expect(check.lines.join()).toContain(remedy);
    expect(JSON.stringify(check)).not.toContain("hunter22");
  });

  test("that is not installed is to be installed", () => {
    const lines = [expect.stringContaining("npm install") as string];
    expect(checkPlugin(tmpdir())).toMatchObject({ status: "failed", lines });
  });

  test("of this build loads", async () => {
    const folder = await mkdtemp(join(tmpdir(), "partners-installation-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    expect(checkPlugin(folder)).toMatchObject({ status: "ok" });
  });
});
