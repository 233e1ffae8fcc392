import { mkdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

// The build, because the checks look for package.json next to dist/.
import { checkPlugin } from "../../../provider/dist/cli/pulumi-project.js";
import { check, printable, renderCheck } from "../../../provider/src/cli/report.js";
import { ROOT } from "../../../provider/tools/checkout.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("the plugin", () => {
  test("that throws on load is reported with a remedy", async () => {
    const folder = await temporaryFolder();
    const installed = join(folder, "node_modules/pulumi-partners");
    await mkdir(installed, { recursive: true });
    const manifest = { name: "pulumi-partners", exports: { "./plugin": "./plugin.js" } };
    await writeFile(join(installed, "package.json"), JSON.stringify(manifest));
    await writeFile(join(installed, "plugin.js"), "throw new Error('hunter22')");
    const result = checkPlugin(folder);
    expect(result).toMatchObject({ status: "failed", lines: [expect.stringContaining("install again")] });
    expect(JSON.stringify(result)).not.toContain("hunter22");
  });

  test("that is missing is reported with a remedy", () => {
    const lines = [expect.stringContaining("npm install") as string];
    expect(checkPlugin(tmpdir())).toMatchObject({ status: "failed", lines });
  });

  test("of this build loads", async () => {
    const folder = await temporaryFolder();
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    expect(checkPlugin(folder)).toMatchObject({ status: "ok" });
  });
});

/** A name that would clear the screen, set the output of a CI job, reorder text, and forge a line of the doctor. */
const HOSTILE = "a\u001b[2J\u009b2J\r\n::set-output name=x::y\u2028\u202egnp\u2066\u061cok       key";

test("a check prints each text on one line, without characters that control a terminal", () => {
  const text = "a?[2J?2J?::set-output name=x::y?gnp?ok       key";
  expect(renderCheck(check("failed", "stack", HOSTILE, HOSTILE))).toBe(
    `failed   stack       ${text}\n         ${text}\n`,
  );
  expect(printable('Größe 日本 – "x"')).toBe('Größe 日本 – "x"');
});
