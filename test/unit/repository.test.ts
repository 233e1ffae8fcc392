import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { LOWEST, ROOT } from "../../provider/tools/checkout.ts";
import { inheritedEnv, runProcess } from "../../provider/tools/child-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { page } from "./docs/tables.ts";

it("the lowest versions that are tested are those of package.json and of docs/versions.md", () => {
  expect(JSON.parse(page("provider/package.json"))).toMatchObject({
    engines: { node: `>=${LOWEST.node.replace(/\.0$/, "")}` },
    peerDependencies: { "@pulumi/pulumi": `^${LOWEST["@pulumi/pulumi"]}` },
    dependencies: { undici: `^${LOWEST.undici}` },
  });
  for (const version of Object.values(LOWEST)) expect(page("docs/versions.md")).toContain(version);
});

it("the plugin that is built from its sources locks the versions that the tests run", () => {
  type Lock = { packages: Record<string, { version?: string }> };
  const lock = (folder: string) => (JSON.parse(page(`${folder}package-lock.json`)) as Lock).packages;
  const { dependencies } = JSON.parse(page("provider/plugin/package.json")) as { dependencies: object };
  const versions = (packages: Lock["packages"]) =>
    Object.keys(dependencies).map((name) => [name, packages[`node_modules/${name}`]?.version]);
  expect(versions(lock("provider/plugin/"))).toEqual(versions(lock("")));
});

it("npm says nothing about the version of the Node that runs it", async () => {
  const cwd = await temporaryFolder();
  await copyFile(join(ROOT, ".npmrc"), join(cwd, ".npmrc"));
  await writeFile(join(cwd, "package.json"), JSON.stringify({ engines: { node: ">=99" } }));
  // `npm test` sets variables that take precedence over the file.
  const inherited = Object.entries(inheritedEnv()).filter(([name]) => !/^npm_config_/i.test(name));
  const options = { cwd, env: Object.fromEntries(inherited) };
  const install = ["install", "--dry-run", "--offline", "--no-audit"];
  expect(await runProcess("npm", install, options)).toMatchObject({ code: 0, stderr: "" });
  const { stderr } = await runProcess("npm", [...install, "--loglevel=warn"], options);
  expect(stderr).toContain("EBADENGINE");
});
