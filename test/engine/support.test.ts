import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runPulumi, runShell } from "../support/cli.ts";
import { type Engine, engineEnv } from "../support/engine-env.ts";
import { runProcess, startProcess } from "../support/process.ts";
import { FOUND_VARIABLE } from "../support/pulumi-cli.ts";
import { underLock } from "../support/pulumi-cli/cache.ts";
import { createTestStack, type TestStack, type TestStackOptions } from "../support/stack.ts";

const REPOSITORY = join(import.meta.dirname, "..", "..");

const PROVIDER = `exports.handler = () => ({
  async check(olds, news) { return { inputs: news }; },
  async diff(id, olds, news) { return { changes: olds.value !== news.value }; },
  async create(news) {
    if (news.value === "refused") throw new Error("refused by the provider");
    if (news.value === "hang") {
      require("node:fs").writeFileSync(process.env.PARTNERS_PID_FILE, String(process.pid));
      await new Promise(() => {});
    }
    return { id: "thing", outs: { ...news, key: "clear-" + "text" } };
  },
  async update(id, olds, news) { return { outs: { ...olds, ...news } }; },
  async delete() {},
})`;

class Thing extends pulumi.CustomResource {
  declare readonly key: pulumi.Output<string>;
  constructor(name: string, value: string) {
    const options = { additionalSecretOutputs: ["key"] };
    super("pulumi-nodejs:dynamic/test:Thing", name, { __provider: PROVIDER, value, key: undefined }, options);
  }
}

const declare = (value: string) => (): Promise<Record<string, unknown>> =>
  Promise.resolve({ key: new Thing("thing", value).key });

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("createTestStack", () => {
  const stacks: TestStack[] = [];
  afterEach(async () => {
    await Promise.all(stacks.splice(0).map((stack) => stack.dispose()));
  });
  const make = async (options: TestStackOptions): Promise<TestStack> => {
    const stack = await createTestStack(options);
    stacks.push(stack);
    return stack;
  };

  test("goes through preview, update, refresh and destroy", async () => {
    const stack = await make({
      program: declare("one"),
      config: { "ns:token": { value: "config-text", secret: true } },
    });
    expect(await stack.preview()).toMatchObject({ ok: true, changes: { create: 2 } });
    const up = await stack.up();
    expect(up).toMatchObject({ ok: true, changes: { create: 2 } });
    expect(await stack.outputs()).toEqual({ key: "clear-text" });
    expect(up.stdout).toContain("[secret]");
    for (const text of [await stack.stateFile(), up.eventLog]) {
      expect(text).toContain("dynamic/test:Thing");
      expect(text).not.toMatch(/clear-text|config-text/);
    }
    stack.setProgram(declare("two"));
    expect(await stack.up()).toMatchObject({ ok: true, changes: { update: 1, same: 1 } });
    expect(await stack.refresh({ flags: ["--expect-no-changes"] })).toMatchObject({ ok: true });
    const state = await stack.exportStack();
    expect(await stack.destroy()).toMatchObject({ ok: true, changes: { delete: 2 } });
    await stack.importStack(state);
    expect(await stack.up({ flags: ["--expect-no-changes"] })).toMatchObject({
      ok: true,
      changes: { same: 2 },
    });
  });

  test("gives failures as results, and goes on", async () => {
    const stack = await make({ program: declare("refused") });
    expect(await stack.up()).toMatchObject({
      ok: false,
      error: expect.stringContaining("refused by the provider") as string,
    });
    stack.setProgram(() => Promise.reject(new Error("thrown by the program")));
    expect(await stack.up()).toMatchObject({
      ok: false,
      error: expect.stringContaining("thrown by the program") as string,
    });
    stack.setProgram(declare("one"));
    expect(await stack.preview({ flags: ["--expect-no-changes"] })).toMatchObject({ ok: false });
    expect(await stack.up()).toMatchObject({ ok: true, changes: { create: 1, same: 1 } });
  });

  test("keeps two stacks apart", async () => {
    const [one, two] = await Promise.all([
      make({ program: declare("one") }),
      make({ program: declare("two") }),
    ]);
    await Promise.all([one.up(), two.up()]);
    expect(await one.stateFile()).toContain(`"value":"one"`);
    expect(await two.stateFile()).toContain(`"value":"two"`);
  });

  test("leaves nothing running when disposed of in mid-operation", async () => {
    const pidFile = join(await mkdtemp(join(tmpdir(), "support-")), "pid");
    const stack = await make({ program: declare("hang"), env: { PARTNERS_PID_FILE: pidFile } });
    const up = stack.up();
    await expect.poll(() => readFile(pidFile, "utf8").catch(() => ""), { timeout: 30_000 }).not.toBe("");
    const plugin = Number(await readFile(pidFile, "utf8"));
    expect(isRunning(plugin)).toBe(true);
    await stack.dispose();
    expect(await up).toMatchObject({ ok: false });
    expect(isRunning(plugin)).toBe(false);
    await rm(join(pidFile, ".."), { recursive: true });
  });
});

describe("the CLI in a project folder", () => {
  let engine: Engine;
  let project: { cwd: string; env: Engine["env"] };
  beforeEach(async () => {
    engine = await engineEnv();
    project = { cwd: engine.dir, env: engine.env };
    await symlink(join(REPOSITORY, "node_modules"), join(engine.dir, "node_modules"));
    await writeFile(join(engine.dir, "package.json"), "{}");
    await writeFile(join(engine.dir, "Pulumi.yaml"), "name: project\nruntime: nodejs\n");
  });
  afterEach(() => engine.dispose());
  const writeProgram = (text: string): Promise<void> =>
    writeFile(join(engine.dir, "index.ts"), `import * as pulumi from "@pulumi/pulumi";\n${text}`);

  test("runs a TypeScript program with its configuration", async () => {
    await writeProgram(`
      const config = new pulumi.Config();
      console.log("from the program");
      export const plain: string = config.require("plain");
      export const secret = config.requireSecret("secret");
      export const where: string = pulumi.getProject() + "/" + pulumi.getStack() + (pulumi.runtime.isDryRun() ? "?" : "");`);
    const shell = await runShell(
      `pulumi stack init dev
       pulumi config set plain "a value"
       pulumi config set --secret secret hidden
       pulumi up --yes
       pulumi stack output --json --show-secrets > outputs.json`,
      project,
    );
    expect(shell).toMatchObject({ code: 0, stdout: expect.stringContaining("from the program") as string });
    expect(shell.stdout).toContain("[secret]");
    expect(shell.stdout + shell.stderr).not.toMatch(/hidden|warning/);
    const outputs = JSON.parse(await readFile(join(engine.dir, "outputs.json"), "utf8")) as unknown;
    expect(outputs).toEqual({ plain: "a value", secret: "hidden", where: "project/dev" });
  });

  test.each([
    ["a type error", `export const wrong: number = "text";`, "TS2322"],
    [
      "an error that the program throws",
      `throw new Error("thrown by the program");`,
      "thrown by the program",
    ],
    ["a program that just ends", `process.exit(3);`, "Program exited with non-zero exit code: 3"],
  ])("reports %s", async (_what, program, message) => {
    await writeProgram(program);
    await runPulumi(["stack", "init", "dev"], project);
    const preview = await runPulumi(["preview"], project);
    expect(preview).toMatchObject({ code: 1, stdout: expect.stringContaining(message) as string });
  });

  test("stops a shell block at the first command that fails, and what it left running", async () => {
    // Its end is seen only when nobody holds its output any more.
    const { code, stdout, ms } = await runShell(
      `sleep 60 & echo started; false; echo "not reached"`,
      project,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "started\n" });
    expect(ms).toBeLessThan(30_000);
  });
});

describe("pulumi-cli", () => {
  test.each([
    ["does not exist", "/nonexistent/pulumi", "ENOENT"],
    ["fails", "/bin/false", "exit code 1"],
    ["is no Pulumi", process.execPath, "no usable Pulumi CLI"],
  ])("fails loudly if PULUMI_CLI %s", async (_what, path, message) => {
    const env: NodeJS.ProcessEnv = { ...process.env, PULUMI_CLI: path };
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- A variable of the environment, by its name.
    delete env[FOUND_VARIABLE];
    const script = join(REPOSITORY, "test", "support", "pulumi-cli.ts");
    const { code, stdout, stderr } = await runProcess(process.execPath, [script], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(message);
  });

  describe("underLock", () => {
    const usual = process.env["XDG_CACHE_HOME"];
    let root: string;
    beforeEach(async () => {
      root = await mkdtemp(join(tmpdir(), "support-"));
      process.env["XDG_CACHE_HOME"] = root;
    });
    afterEach(async () => {
      if (usual === undefined) delete process.env["XDG_CACHE_HOME"];
      else process.env["XDG_CACHE_HOME"] = usual;
      await rm(root, { recursive: true });
    });

    test("lets one in at a time, and takes over from a process that has died", async () => {
      let inside = 0;
      const work = async (): Promise<number> => {
        const before = inside++;
        await new Promise((resolve) => setTimeout(resolve, 20));
        inside--;
        return before;
      };
      const said: string[] = [];
      const say = (line: string): void => void said.push(line);
      await underLock(say, () => Promise.resolve());
      const dead = startProcess(process.execPath, ["-e", ""]);
      await dead.ended;
      await writeFile(join(root, "pulumi-partners", "lock"), String(dead.pid));
      expect(await Promise.all([underLock(say, work), underLock(say, work)])).toEqual([0, 0]);
      expect(said).toEqual([expect.stringContaining(`Waiting for process ${process.pid}`)]);
    });
  });
});
