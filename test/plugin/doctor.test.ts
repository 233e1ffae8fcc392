import { spawn } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";

import type { Sandbox } from "pulumi-partners/sandbox";
import type { Check, Report } from "../../provider/src/cli/doctor/report.js";
import { inheritedEnv } from "../support/process.ts";
import { type Ended, runProcess } from "../support/process.ts";
import { sandboxFor } from "./partners.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAIN = join(ROOT, "provider/dist/cli/main.js");

/** Node is on PATH, and no Pulumi CLI: how fast it is, and that it is there, is for the engine tests. */
function environment(sandbox?: Sandbox): Record<string, string> {
  const PATH = dirname(process.execPath);
  if (sandbox === undefined) return { ...inheritedEnv(), PATH };
  const settings = { PARTNERS_BASE_URL: sandbox.url, PARTNERS_ACCESS_TOKEN: sandbox.accessToken };
  return { ...inheritedEnv(), PATH, ...settings };
}

function doctor(args: readonly string[], env: NodeJS.ProcessEnv, cwd = tmpdir()): Promise<Ended> {
  return runProcess(process.execPath, [MAIN, "doctor", ...args], { env, cwd });
}

/** A folder that ends with the test, with these files in it. */
async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "partners-doctor-")));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

describe("the command", () => {
  it("prints a line for each check, without colours into a pipe, and where settings come from", async () => {
    const sandbox = await sandboxFor();
    const { code, stdout, stderr } = await doctor([], environment(sandbox));
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" }); // There is no Pulumi CLI.
    expect(stdout).toMatch(
      /^failed {3}pulumi-cli {2}The Pulumi CLI was not found on PATH\. Install it: https:/m,
    );
    expect(stdout).toMatch(/^ok {7}service {5}GET \/api\/v1\/partners\/webhooks was answered with 200/m);
    expect(stdout).toContain(
      "\nSettings\n  NAME               FROM\n  baseUrl            environment (PARTNERS_BASE_URL)\n",
    );
    expect(stdout).toContain("\nWebhooks\n  ID   STATE\n  101  active\n");
    expect(stdout).not.toContain("\u001b");
  });

  it("prints one JSON object with --json", async () => {
    const sandbox = await sandboxFor();
    const { code, stdout, stderr } = await doctor(["--json", "--try-create", "--yes"], environment(sandbox));
    const report = JSON.parse(stdout) as Report;
    expect(Object.keys(report)).toEqual([
      ...["format", "version", "exitCode", "checks", "settings", "shape", "webhooks", "key"],
    ]);
    expect({ code, stderr }).toEqual({ code: report.exitCode, stderr: "" });
    expect(report).toMatchObject({ format: 1, key: { outcome: "deleted" } });
    expect(sandbox.apiKeys).toEqual([]);
  });

  it("ends with 3 when a key is left over", async () => {
    const sandbox = await sandboxFor({ shape: "byId" });
    const { code, stdout } = await doctor(["--try-create", "--yes"], environment(sandbox));
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /^ {21}> A key EXISTS at the service that nobody holds, made at \d{4}-.*: delete it there\.$/m,
    );
  });

  it.each([
    [["--try-create"], "--try-create asks first, and there is no terminal to answer: add --yes."],
    [["--cwd", "/nowhere/at/all"], "--cwd must be a folder that exists."],
    [["--stack", "dev"], "--stack and --account need a Pulumi project, and there is none here: add --cwd."],
    [["--fix"], "Unknown option '--fix'"],
    [["extra"], "only options are understood."],
  ])("%j is refused in one line, before anything is sent", async (args, message) => {
    const sandbox = await sandboxFor();
    const { code, stdout, stderr } = await doctor(args, environment(sandbox));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^pulumi-partners doctor: [^\n]+ Try "pulumi-partners doctor --help"\.\n$/);
    expect(stderr).toContain(message);
    expect(sandbox.requests).toEqual([]);
  });

  it.each(["doctor", "sandbox", "adopt", ""])(
    "%s does not repeat a key in the place of an option",
    async (command) => {
      const args = [MAIN, ...(command === "" ? [] : [command]), "pk_live_hunter22"];
      const { code, stdout, stderr } = await runProcess(process.execPath, args, { env: environment() });
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("--help");
      expect(stderr).not.toContain("hunter22");
    },
  );

  it("says its exit codes with --help", async () => {
    const { code, stdout } = await doctor(["--help"], environment());
    expect(code).toBe(0);
    for (const exitCode of [0, 1, 2, 3]) expect(stdout).toMatch(new RegExp(`^  ${exitCode}  `, "m"));
  });

  it("says what to install on a Node that is too old, and goes on as far as it can", async () => {
    const sandbox = await sandboxFor();
    const NODE_OPTIONS = `--require ${join(ROOT, "test/support/old-node.cjs")}`;
    const { code, stdout, stderr } = await doctor(["--try-create", "--yes"], {
      ...environment(sandbox),
      NODE_OPTIONS,
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toContain(
      "failed   node        Node 20.11.0 is too old for this provider, so nothing was sent. Install Node 22.19 or newer",
    );
    expect(stdout).toMatch(/^skipped {2}service /m);
    expect(sandbox.requests).toEqual([]);
  });
});

describe("a key that is being tried", () => {
  /** Starts the command, and does something as soon as the service has made the key. */
  async function interrupt(sandbox: Sandbox, act: (child: ReturnType<typeof spawn>) => void) {
    const child = spawn(process.execPath, [MAIN, "doctor", "--try-create", "--yes"], {
      env: environment(sandbox),
      cwd: tmpdir(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    const stderr = text(child.stderr);
    await expect.poll(() => sandbox.apiKeys.length, { timeout: 20_000, interval: 5 }).toBe(1);
    act(child);
    child.stdout.resume();
    await ended;
    return stderr;
  }

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "is deleted although %s comes in between",
    async (signal) => {
      const sandbox = await sandboxFor({ latency: 200 });
      expect(await interrupt(sandbox, (child) => child.kill(signal))).toContain("this ends by itself");
      expect(sandbox.apiKeys).toEqual([]);
    },
  );

  it("is deleted although nobody reads what is printed any longer", async () => {
    const sandbox = await sandboxFor({ latency: 200 });
    expect(await interrupt(sandbox, (child) => child.stdout?.destroy())).toBe("");
    expect(sandbox.apiKeys).toEqual([]);
  });
});

describe("the folder of the program", () => {
  const PROJECT = { "Pulumi.yaml": "name: test\nruntime: nodejs\nmain: app/index.ts\n", "app/index.ts": "" };

  function fakePackage(name: string, version: string, plugin: string) {
    return {
      [`app/node_modules/${name}/package.json`]: JSON.stringify({
        name,
        version,
        exports: { "./plugin": "./dist/plugin/index.js", "./package.json": "./package.json" },
      }),
      [`app/node_modules/${name}/dist/plugin/index.js`]: plugin,
    };
  }

  async function checksIn(files: Readonly<Record<string, string>>): Promise<readonly Check[]> {
    const folder = await folderWith({ ...PROJECT, ...files });
    const { stdout } = await doctor(["--json", "--cwd", folder], environment());
    return (JSON.parse(stdout) as Report).checks;
  }

  it("is where main is, and has what it needs", async () => {
    const folder = await folderWith(PROJECT);
    await symlink(join(ROOT, "node_modules"), join(folder, "app/node_modules"));
    const { stdout } = await doctor(["--json"], environment(), folder);
    const { checks } = JSON.parse(stdout) as Report;
    expect(checks).toMatchObject([
      { check: "node", status: "ok" },
      { check: "pulumi-cli", status: "failed" },
      { check: "pulumi-sdk", status: "ok" },
      { check: "plugin", status: "ok" },
      {
        check: "stack",
        status: "failed",
        detail: expect.stringContaining("The Pulumi CLI was not found") as string,
      },
      { check: "settings", status: "failed" },
    ]);
  });

  const handlers = ["configure", "check", "diff", "create", "read", "update", "delete"].map(
    (name) => `${name}() {}`,
  );
  const complete = `const p = { ${handlers.join(", ")} }; module.exports = { partnerApiKey: p, partnerWebhookState: p, partnerWebhooks: p };`;
  it.each([
    ["nothing is installed", {}, "failed", "npm install pulumi-partners"],
    [
      "another version is installed",
      fakePackage("pulumi-partners", "0.0.1", complete),
      "warning",
      "with npx",
    ],
    [
      "a handler is missing",
      fakePackage("pulumi-partners", "0.1.0", "exports.partnerApiKey = {};"),
      "failed",
      "install again",
    ],
    [
      "the plugin throws",
      fakePackage("pulumi-partners", "0.1.0", "throw new Error('hunter22')"),
      "failed",
      "install again",
    ],
  ])("is told from others: %s", async (_what, files, status, remedy) => {
    const checks = await checksIn(files);
    const plugin = checks.find(({ check }) => check === "plugin");
    expect(plugin?.status).toBe(status);
    expect(plugin?.remedy.join()).toContain(remedy);
    expect(JSON.stringify(checks)).not.toContain("hunter22");
  });

  it.each([
    ["is too old", "3.1.0"],
    ["is of another major version", "4.0.0"],
  ])("has an SDK that %s", async (_what, version) => {
    const checks = await checksIn(fakePackage("@pulumi/pulumi", version, ""));
    const sdk = checks.find(({ check }) => check === "pulumi-sdk");
    expect(sdk).toMatchObject({ status: "failed", detail: expect.stringContaining(version) as string });
  });
});
