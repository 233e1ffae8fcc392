import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

import { VERSION } from "../../provider/src/version.js";
import { type Ended, inheritedEnv, runProcess } from "../support/process.ts";
import { sandboxFor as sandboxOf } from "./partners.ts";
import { providerInState, scriptedProject, serviceOf, webhookInState, type Script } from "./scripted-cli.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAIN = join(ROOT, "provider/dist/cli/main.js");
const TOKEN = "tok_9f8e7d6c5b4a3928";

const sandboxFor = () => sandboxOf({ accessToken: TOKEN });

/** The settings, as variables and as stack configuration. */
const inEnvironment = (url: string) => ({ PARTNERS_BASE_URL: url, PARTNERS_ACCESS_TOKEN: TOKEN });
const inStack = (url: string) => ({
  "partners:baseUrl": { value: url },
  "partners:accessToken": { value: TOKEN, secret: true },
});

/** Runs the doctor outside of any project. Node is on PATH, and no Pulumi CLI. */
async function doctorAlone(env: Readonly<Record<string, string>>): Promise<Ended> {
  const PATH = dirname(process.execPath);
  return checked(
    await runProcess(process.execPath, [MAIN, "doctor"], {
      env: { ...inheritedEnv(), PATH, ...env },
      cwd: tmpdir(),
      timeoutMs: 30_000,
    }),
  );
}

async function doctorIn(script: Script, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const { run } = await scriptedProject(script);
  return checked(await run(["doctor"], env));
}

function checked(ended: Ended): Ended {
  expect(ended.stdout + ended.stderr).not.toContain(TOKEN);
  return ended;
}

/** The checks that were made: `service ok`. */
function statuses({ stdout }: Ended): string[] {
  const lines = stdout.matchAll(/^(ok|warning|failed) +([a-z-]+) /gm);
  return [...lines].map(([, status = "", name = ""]) => `${name} ${status}`);
}

describe("docs/doctor.md shows what is printed", () => {
  /** The first block of text below a heading. */
  async function sample(heading: string): Promise<string> {
    const page = await readFile(join(ROOT, "docs/doctor.md"), "utf8");
    const section = page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
    return /^```text\n(.*?)^```$/ms.exec(section)?.[1] ?? "";
  }

  /** What differs between machines, as it is in the docs. */
  function asShown({ stdout }: Ended, url: string): string {
    return stdout
      .replace(/^(ok +node +).*$/m, "$124.21.0")
      .replace(VERSION, "0.1.0")
      .replace(url, "http://127.0.0.1:4010");
  }

  it("when all is well, after one request", async () => {
    const sandbox = await sandboxFor();
    const resources = [webhookInState("orders", 101), webhookInState("refunds", 103)];
    const ended = await doctorIn(
      { config: inStack(sandbox.url), resources },
      { PARTNERS_REQUEST_TIMEOUT: "20" },
    );
    expect(asShown(ended, sandbox.url)).toBe(await sample("Check a project"));
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(sandbox.requests).toMatchObject([{ method: "GET" }]);
  });

  it("when the list is not recognised", async () => {
    const hook = (ref: number) => ({ ref, mode: "go" });
    const url = await serviceOf(200, JSON.stringify({ incoming: [hook(1)], outgoing: [hook(2), hook(3)] }));
    const ended = await doctorIn({ config: inStack(url) });
    const shown = asShown(ended, url).split("\n");
    for (const line of (await sample("Fix a list that is not recognised")).split("\n"))
      expect(shown).toContain(line);
    expect(ended.code).toBe(1);
  });

  it("and names every check and exit code", async () => {
    const page = await readFile(join(ROOT, "docs/doctor.md"), "utf8");
    const checks = statuses(await doctorIn({ config: inStack((await sandboxFor()).url) }));
    for (const check of checks) expect(page).toContain(`\n| \`${check.split(" ")[0] ?? ""}\``);
    for (const code of [0, 1, 2]) expect(page).toContain(`\n| ${code} `);
  });
});

it("without a project and the CLI, the environment is checked, and nothing is coloured in a pipe", async () => {
  const env = inEnvironment((await sandboxFor()).url);
  const ended = await doctorAlone(env);
  expect(statuses(ended)).toEqual([
    "node ok",
    "pulumi-cli failed",
    "stack ok",
    "settings ok",
    "service ok",
    "shape ok",
    "webhooks ok",
  ]);
  expect(ended).toMatchObject({ code: 1, stderr: "" });
  expect(ended.stdout).toContain("The Pulumi CLI is not on PATH. Install it: https:");
  expect(ended.stdout).toContain(" From the environment: PARTNERS_BASE_URL, PARTNERS_ACCESS_TOKEN.\n");
  expect(ended.stdout).toMatch(/^ +101 {2}active {4}-$/m);
  expect(ended.stdout).not.toContain("\u001b");
  expect((await doctorAlone({ ...env, FORCE_COLOR: "1" })).stdout).toContain("\u001b[32mok");
});

it("a Node that is too old is reported before anything is sent", async () => {
  const sandbox = await sandboxFor();
  const NODE_OPTIONS = `--require ${join(ROOT, "test/support/old-node.cjs")}`;
  const { code, stdout, stderr } = await doctorAlone({ ...inEnvironment(sandbox.url), NODE_OPTIONS });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^pulumi-partners doctor: .*Node 20\.11\.0 is too old.*\n$/);
  expect(sandbox.requests).toEqual([]);
});

describe("settings", () => {
  it("that are missing are all named, and nothing else is checked", async () => {
    const ended = await doctorIn({});
    expect(statuses(ended).slice(-2)).toEqual(["stack ok", "settings failed"]);
    expect(ended.stdout).toMatch(/^failed +settings .*baseUrl.*accessToken/m);
    expect(ended.code).toBe(1);
  });

  it("with a token in plain text get a warning", async () => {
    const { url } = await sandboxFor();
    const config = { "partners:baseUrl": { value: url }, "partners:accessToken": { value: TOKEN } };
    const ended = await doctorIn({ config });
    expect(statuses(ended)).toContain("settings warning");
    expect(ended.stdout).toContain("pulumi config set --secret partners:accessToken\n");
    expect(ended.code).toBe(0);
  });
});

describe("a stack that cannot be read", () => {
  it("is reported without what the CLI said", async () => {
    const error = 'unable to open "postgres://u:hunter22@127.0.0.1/db"';
    const ended = await doctorIn({ error }, inEnvironment("http://127.0.0.1:1"));
    expect(statuses(ended).at(-1)).toBe("stack failed");
    expect(ended.stdout).toMatch(/^failed +stack +"pulumi stack ls" failed\. Run it yourself to see why\.$/m);
    expect(ended.stdout + ended.stderr).not.toContain("hunter22");
    expect(ended.code).toBe(1);
  });

  it("is not selected, or is the one of --stack", async () => {
    const { run, commands } = await scriptedProject({ selected: null });
    expect((await run(["doctor"])).stdout).toMatch(/^failed +stack +No stack is selected\./m);
    expect((await run(["doctor", "--stack", "prod"])).stdout).toMatch(
      /^ok +stack +prod, account default\.$/m,
    );
    expect(await commands()).toContain("config --show-secrets --json --stack prod --non-interactive");
  });

  it("does not matter for where the program is: main says it", async () => {
    const files = {
      "Pulumi.yaml": "name: shop\nruntime: nodejs\nmain: nowhere/\n",
      "nowhere/node_modules/pulumi-partners/plugin.js": "throw 1",
    };
    expect(statuses(await doctorIn({ files }))).toEqual(
      expect.arrayContaining(["plugin failed", "stack ok"]),
    );
    const python = { "Pulumi.yaml": "name: shop\nruntime:\n  name: python\n" };
    expect(statuses(await doctorIn({ files: python })).slice(0, 3)).toEqual([
      "node ok",
      "pulumi-cli ok",
      "stack ok",
    ]);
  });

  it("may have a project file that holds a secret in the wrong place", async () => {
    const ended = await doctorIn({ files: { "Pulumi.yaml": "name: shop\n  hunter22: [\n" } });
    expect(statuses(ended)).toContain("stack failed");
    expect(ended.stdout + ended.stderr).not.toContain("hunter22");
  });
});

it.each([
  ["rejects the token", 401, "{}", "PARTNERS_STATUS"],
  ["is not at this address", 404, "{}", "PARTNERS_STATUS"],
  ["is a web site", 200, "<!doctype html><p>hello", "PARTNERS_UNREADABLE"],
  ["reports a failure", 200, `{"success":false,"data":[]}`, "PARTNERS_UNREADABLE"],
  ["is not running", null, "", "ECONNREFUSED.*PARTNERS_CONNECTION"],
])("a service that %s fails the check", async (_what, status, body, reason) => {
  const url = status === null ? "http://127.0.0.1:1" : await serviceOf(status, body);
  const ended = await doctorAlone(inEnvironment(url));
  expect(statuses(ended).at(-1)).toBe("service failed");
  expect(ended.stdout).toMatch(new RegExp(`^failed +service +.*${reason}\\]$`, "m"));
  expect(ended.code).toBe(1);
});

describe("the shape of the list", () => {
  it.each([
    [[{ id: 7, mode: "go" }], "'partners:responses.webhookState' '<JSON Pointer>'", "/id, /mode"],
    [[{ id: 7, state: "go" }], "'partners:responses.active[0]' '<value that means active>'", "/id, /state"],
  ])("%j leaves the state unknown", async (list, command, fields) => {
    const ended = await doctorAlone(inEnvironment(await serviceOf(200, JSON.stringify(list))));
    expect(statuses(ended)).toContain("shape warning");
    expect(ended.stdout).toContain(`pulumi config set --path ${command}\n`);
    expect(ended.stdout).toContain(`Fields of a webhook: ${fields}\n`);
    expect(ended.stdout).toMatch(/^ +7 {2}unknown +-$/m);
  });

  it("may have further pages", async () => {
    const body = `{"webhooks":[{"id":7,"active":true}],"next":"x"}`;
    const ended = await doctorIn({
      config: inStack(await serviceOf(200, body)),
      resources: [webhookInState("orders", 8)],
    });
    expect(statuses(ended).slice(-2)).toEqual(["shape warning", "webhooks warning"]);
    expect(ended.stdout).toContain("pulumi config set --path 'partners:responses.complete' true\n");
    expect(ended.code).toBe(0);
  });
});

describe("webhooks of the stack", () => {
  it("that do not exist are a failure", async () => {
    const { url } = await sandboxFor();
    const resources = [
      webhookInState("orders", 101),
      webhookInState("lost", 7, {}, "partners:index:PartnerWebhookState"), // Of the native plugin.
      webhookInState("old", 8, { delete: true }),
    ];
    const ended = await doctorIn({ config: inStack(url), resources });
    expect(ended.stdout).toMatch(
      /^failed +webhooks +3 on the server, 2 declared in this stack; declared but not in the list: 7\.$/m,
    );
    expect(ended.stdout).toMatch(/^ +7 +missing +lost$/m);
    expect(ended.code).toBe(1);
  });

  it("are those of the default account, and their names cannot control the terminal", async () => {
    const { url } = await sandboxFor();
    const hostile = "a\n::set-output name=x::y\u001b[2J\u009b\u202e";
    const resources = [
      webhookInState(hostile, 101),
      providerInState(hostile),
      webhookInState("elsewhere", 103, { outputs: { webhookId: 103, account: "elsewhere" } }),
    ];
    const { stdout } = await doctorIn({ config: inStack(url), resources });
    expect(stdout.match(/a\?::set-output name=x::y\?\[2J\?\?/g)).toHaveLength(2);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(stdout).not.toMatch(/^\s*::/m);
    expect(stdout).toMatch(/^ +103 +\w+ +-$/m);
  });
});
