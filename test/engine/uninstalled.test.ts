import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox } from "../support/sandbox.ts";
import { expect, it, onTestFinished } from "vitest";

import { runPulumi } from "../support/cli.ts";
import { engineEnv } from "../support/engine-env.ts";
import { expectShown } from "./docs.ts";
import { environmentFor } from "./support.ts";

const ROOT = join(import.meta.dirname, "../..");
const UP = ["up", "--yes", "--skip-preview"];
const DESTROY = ["destroy", "--yes", "--skip-preview"];

it("destroy without the package, or without Pulumi's plugin, says so, touches nothing, and needs no program where the package is", async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const engine = await engineEnv({ ...environmentFor(sandbox), PULUMI_STACK: "dev" });
  onTestFinished(() => engine.dispose());
  const cwd = join(engine.dir, "quickstart");
  const modules = join(cwd, "node_modules");
  const run = async (args: readonly string[], code = 0): Promise<string> => {
    const ended = await runPulumi(args, { cwd, env: engine.env });
    expect(ended, ended.stderr + ended.stdout).toMatchObject({ code });
    return ended.stdout;
  };
  await mkdir(cwd);
  const program = await readFile(join(ROOT, "examples/quickstart/index.ts"), "utf8");
  await writeFile(join(cwd, "index.ts"), program);
  await writeFile(join(cwd, "Pulumi.yaml"), "name: quickstart\nruntime: nodejs\nmain: index.ts\n");
  await symlink(join(ROOT, "node_modules"), modules);
  await run(["stack", "init", "dev"]);
  await run(UP);
  sandbox.clearRequests();

  await rm(modules);
  await expectShown("upgrade.md", "When nothing is installed", await run(DESTROY, 1));

  await mkdir(modules);
  await symlink(join(ROOT, "node_modules/@pulumi"), join(modules, "@pulumi"));
  await expectShown("upgrade.md", "When the package is not installed", await run(DESTROY, 1));
  expect([sandbox.requests, sandbox.apiKeys.length]).toEqual([[], 1]);

  await rm(modules, { recursive: true });
  await symlink(join(ROOT, "node_modules"), modules);
  const type = "pulumi-nodejs:dynamic/partners:PartnerApiKey";
  // The SDK's own words, of today and of its lowest version.
  expect(await run(["import", type, "other", "some-id", "--yes"], 1)).toMatch(
    /code must be a string|Cannot read properties of undefined \(reading 'toJavaScript'\)/,
  );
  const plugins = join(engine.dir, "home/plugins");
  await rename(plugins, `${plugins}-away`);
  const missing = "no resource plugin 'pulumi-resource-pulumi-nodejs' found";
  expect(await run(DESTROY, 1)).toContain(missing);
  await rm(plugins, { recursive: true, force: true });
  await rename(`${plugins}-away`, plugins);

  await rm(join(cwd, "index.ts"));
  await writeFile(join(cwd, "Pulumi.yaml"), "name: quickstart\nruntime: nodejs\n");
  await run(DESTROY);
  expect(sandbox.apiKeys).toEqual([]);
});
