import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox, type SandboxOptions } from "pulumi-partners/sandbox";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { inheritedEnv } from "../support/process.ts";
import { type Ended, runProcess } from "../support/process.ts";

const MAIN = join(import.meta.dirname, "../../provider/dist/cli/main.js");
const KEY = "pk_live_existing_key_0001";

/** Outside of any project, so that the settings are those of the environment. */
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partners-adopt-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

/** Runs the command. @param stdin What is piped into it. @default nothing */
function adopt(args: string[], env: Record<string, string> = {}, stdin = ""): Promise<Ended> {
  const words = [process.execPath, MAIN, "adopt", ...args];
  return runProcess("bash", ["-c", `printf %b "$STDIN" | "$@"`, "bash", ...words], {
    cwd: folder,
    env: { ...inheritedEnv(), STDIN: stdin, ...env },
    timeoutMs: 20_000,
  });
}

async function account(options: SandboxOptions = {}) {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  const env = { PARTNERS_BASE_URL: sandbox.url, PARTNERS_ACCESS_TOKEN: sandbox.accessToken };
  return {
    sandbox,
    adopt: (...args: string[]) => adopt(args, env),
    adoptKey: (stdin: string, more: Record<string, string> = {}, ...args: string[]) =>
      adopt(["--api-key-stdin", "--name", "checkout", ...args], { ...env, ...more }, stdin),
  };
}

function declarations({ stdout }: Ended): string[] {
  return [...stdout.matchAll(/^.*State\("([^"]*)".*state: ("[^"]*")/gm)].map(
    ([, name = "", state = ""]) => `${name}: ${state}`,
  );
}

const active = (ids: number[]) => ids.map((webhookId) => ({ webhookId, state: "active" as const }));

describe("webhooks", () => {
  it("are declared by their ids in ascending order, whatever the order of the list, with one request", async () => {
    const { adopt, sandbox } = await account({ webhooks: active([103, 9, 101]) });
    const ended = await adopt();
    expect(ended.code).toBe(0);
    expect(declarations(ended)).toEqual([
      `webhook-9: "active"`,
      `webhook-101: "active"`,
      `webhook-103: "active"`,
    ]);
    expect(ended.stderr).toBe("Make this part of the program, then run:\n  pulumi up\n");
    expect(sandbox.requests.map(({ method }) => method)).toEqual(["GET"]);
  });

  it("can be chosen and named", async () => {
    const { adopt } = await account();
    expect(declarations(await adopt("--webhooks", "102", "--prefix", "eu-"))).toEqual([`eu-102: "active"`]);
  });

  it("that do not exist are an error of one line that lists 20 of those that do", async () => {
    const { adopt } = await account({
      webhooks: active(Array.from({ length: 23 }, (_, index) => index + 1)),
    });
    const { code, stdout, stderr } = await adopt("--webhooks", "1,999", "--out", "webhooks.ts");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^pulumi-partners adopt: webhook 999: it does not exist.*\n$/);
    expect(stderr).toContain("Webhooks that exist: 1, 2, 3,");
    expect(stderr).toContain(" 19, 20, and 3 more.");
    expect(await readdir(folder)).toEqual([]);
  });

  it("whose state is not told are comments, and in no import file", async () => {
    const shape = {
      apiKey: () => "",
      webhooks: () => [
        { id: 1, state: "active" },
        { id: 2, state: "paused" },
        { id: 3, state: "active", enabled: false },
      ],
    };
    const { adopt } = await account({ shape });
    const some = await adopt("--import-file", "import.json");
    expect(some.stdout).toContain(`
new partners.PartnerWebhookState("webhook-1", { webhookId: 1, state: "active" });

// Of the webhooks below`);
    expect(some.stdout).toContain(`
// new partners.PartnerWebhookState("webhook-2", { webhookId: 2, state: "?" });
// new partners.PartnerWebhookState("webhook-3", { webhookId: 3, state: "?" });
`);
    expect(some.stderr).toContain("The states of 2 webhooks are not known");
    const { resources } = JSON.parse(await readFile(join(folder, "import.json"), "utf8")) as {
      resources: object[];
    };
    expect(resources).toMatchObject([{ name: "webhook-1", id: "1" }]);

    const none = await adopt("--webhooks", "2", "--import-file", "none.json");
    expect(none.stderr).toContain("Nothing can be imported, so none.json was not written.");
    expect(none.stderr).toContain("  pulumi up\n");
    expect(await readdir(folder)).toEqual(["import.json"]);
  });

  it("that are none leave stdout empty, and no file", async () => {
    const { adopt } = await account({ webhooks: [] });
    expect(await adopt("--out", "webhooks.ts", "--import-file", "import.json")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "The account has no webhooks.\n",
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it("on further pages are not left out in silence", async () => {
    const shape = {
      apiKey: () => "",
      webhooks: () => ({ data: [{ id: 1, active: true }], next: "?page=2" }),
    };
    const { adopt } = await account({ shape });
    expect(await adopt()).toMatchObject({ code: 1, stdout: "" });
    expect(declarations(await adopt("--webhooks", "1"))).toEqual([`webhook-1: "active"`]);
    expect(await adopt("--webhooks", "2")).toMatchObject({ code: 1, stdout: "" });
  });

  it("need settings, and a project for a stack", async () => {
    const { code, stderr } = await adopt([]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]*PARTNERS_BASE_URL[^\n]*PARTNERS_ACCESS_TOKEN[^\n]*\n$/);
    expect(await adopt(["--stack", "dev"])).toMatchObject({ code: 2 });
  });
});

describe("a key", () => {
  it.each([
    ["without a newline", KEY],
    ["with one", `${KEY}\\n`],
    ["with one of Windows", `${KEY}\\r\\n`],
  ])("is taken from stdin %s, and asks nobody", async (_what, stdin) => {
    const { adoptKey, sandbox } = await account();
    const ended = await adoptKey(stdin, {}, "--import-file", "key.json");
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`PartnerApiKey("checkout")`) as string,
    });
    const [{ outputs } = {}] = (
      JSON.parse(await readFile(join(folder, "key.json"), "utf8")) as {
        resources: { outputs: { apiKey: { plaintext: string } } }[];
      }
    ).resources;
    expect(outputs?.apiKey.plaintext).toBe(`"${KEY}"`);
    expect(sandbox.requests).toEqual([]);
  });

  it.each([
    ["nothing", "", "nothing on stdin"],
    ["only a newline", "\\n", "must be the whole key"],
    ["two newlines", `${KEY}\\n\\n`, "must be the whole key"],
    ["a masked key", "pk_live_****0001", "not a masked form"],
    ["a key that is too long", "k".repeat(4097), "1 to 4096"],
    ["a file", "k".repeat(66_000), "more on stdin than a key"],
  ])("that is %s is refused in one line that does not repeat it", async (_what, stdin, message) => {
    const { adoptKey } = await account();
    const { code, stdout, stderr } = await adoptKey(stdin, {}, "--import-file", "key.json");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^[^\n]{1,300}\n$/);
    expect(stderr).not.toContain(stdin.slice(0, 12) || "\0");
    expect(await readdir(folder)).toEqual([]);
  });

  it("in no variable is refused without the name, which may be the key", async () => {
    const ended = await adopt(["--api-key-env", KEY, "--name", "checkout"]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("Give the name of the variable, not the key");
    expect(ended.stderr).not.toContain(KEY);
  });

  it("that is deleted by its id needs the id, which only an import file can give", async () => {
    const { adoptKey } = await account();
    const byId = { PARTNERS_RESPONSES: `{"apiKeyId":"/id"}` };
    for (const args of [[], ["--import-file", "key.json"]]) {
      const refused = await adoptKey(KEY, byId, ...args);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toContain("--api-key-id");
    }
    const ended = await adoptKey(KEY, byId, "--import-file", "key.json", "--api-key-id", "k_1");
    expect(ended.code).toBe(0);
    expect(await readFile(join(folder, "key.json"), "utf8")).toContain(`"keyId": "k_1"`);
  });
});
