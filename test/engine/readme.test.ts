import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { copyBuild, ROOT } from "../support/checkout.ts";
import { runShell } from "../support/cli.ts";
import { engineEnv } from "../support/engine-env.ts";

interface Block {
  readonly language: string;
  readonly text: string;
}

async function readmeBlocks(): Promise<Block[]> {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  return [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/** The repository as a newcomer has it after `npm ci`, so that packing does not write into this one. */
async function clone(to: string): Promise<void> {
  await copyBuild(to);
  await symlink(join(ROOT, "node_modules"), join(to, "node_modules"));
}

it("every block of the README does what it says", { timeout: 300_000 }, async () => {
  const blocks = await readmeBlocks();
  const shell = blocks.filter(({ language }) => language === "sh").map(({ text }) => text.trim());
  const programs = blocks.filter(({ language }) => language === "ts").map(({ text }) => text);
  const [demo = "", test = "", install = "", sandbox = "", configure = "", apply = "", ...otherShell] = shell;
  const [first = "", second = "", ...otherPrograms] = programs;
  expect({ otherShell, otherPrograms }, "a block that this test does not run").toEqual({
    otherShell: [],
    otherPrograms: [],
  });

  // The first two are what CI runs, one of them is running now.
  const ci = await readFile(join(ROOT, ".ci/run"), "utf8");
  for (const command of [demo, test]) expect(ci).toContain(`\n${command} || exit 1\n`);

  const engine = await engineEnv({ PULUMI_SKIP_CONFIRMATIONS: "true" });
  onTestFinished(() => engine.dispose());
  const checkout = join(engine.dir, "pulumi-partners");
  await clone(checkout);
  await writeFile(join(engine.dir, "first.ts"), first);
  await writeFile(join(engine.dir, "second.ts"), second);
  const script = [
    install,
    `${sandbox} > sandbox.log &`,
    "until grep -q PARTNERS_BASE_URL sandbox.log; do sleep 0.1; done",
    configure,
    "cp ../first.ts index.ts",
    apply,
    // Beyond the README: the second program needs the token that it asks for.
    "cp ../second.ts index.ts",
    "printf demo-token | pulumi config set --secret euToken",
    "pulumi up --yes --skip-preview",
    "pulumi destroy --yes --skip-preview",
  ].join("\n");
  const { code, stdout, stderr } = await runShell(script, {
    cwd: checkout,
    env: engine.env,
    timeoutMs: 280_000,
  });
  expect({ code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ code: 0, stderr: "" });

  // What the README shows, the CLI showed; it adds progress and times, and resources may end in another order.
  const shown =
    blocks
      .find(({ language }) => language === "text")
      ?.text.trim()
      .split("\n") ?? [];
  expect(shown).not.toEqual([]);
  for (const line of shown) expect(stdout).toContain(line);
  expect(stdout).toMatch(/^pk_live_/m); // stack output --show-secrets
});
