import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";

import type { Operation } from "../../provider/src/api/operations.js";
import { startSandbox, type Fault, type SandboxOptions } from "pulumi-partners/sandbox";
import { CANARIES, findLeaks, readFolder } from "../support/canary.ts";
import { inheritedEnv } from "../support/process.ts";
import { type Ended, runProcess } from "../support/process.ts";

const MAIN = join(import.meta.dirname, "..", "..", "provider", "dist", "cli", "main.js");
const { token } = CANARIES;

/** Every command, as `--help` lists them, so that one that is added is tested as well. */
const { stdout: overview } = await run("--help");
const commands = [...overview.matchAll(/^ {2}([a-z][a-z-]*) {2,}\S/gm)].map(([, name = ""]) => name);

function environment(): NodeJS.ProcessEnv {
  // Nobody listens there, so what talks to a server fails, and may say why.
  const settings = {
    PARTNERS_BASE_URL: "http://127.0.0.1:1",
    PARTNERS_ACCESS_TOKEN: token,
    PARTNERS_DEBUG: "1",
  };
  return { ...inheritedEnv(), ...settings };
}

function run(...args: string[]): Promise<Ended> {
  return runWith({}, ...args);
}

function runWith(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
  return runProcess(process.execPath, [MAIN, ...args], {
    env: { ...environment(), ...env },
    cwd: tmpdir(), // In no project.
    timeoutMs: 20_000,
  });
}

function expectNoLeak({ stdout, stderr }: Ended): void {
  expect(findLeaks({ stdout, stderr }, CANARIES)).toEqual([]);
}

describe("the command line does not repeat a token", () => {
  it("where it knows no command", async () => {
    expect(commands).toContain("sandbox");
    for (const args of [[], ["--version"], ["--help"], ["nonsense"]]) expectNoLeak(await run(...args));
  });

  it.each(commands.flatMap((command) => ["--help", "--nonsense"].map((option) => [command, option])))(
    "%s %s",
    async (command = "", option = "") => {
      const ended = await run(command, option);
      expect(ended.code).toBe(option === "--help" ? 0 : 2);
      expectNoLeak(ended);
    },
  );

  it.each([
    ["a token with blanks", [`${token} ${token}`]],
    ["a token with a newline", [`${token}\n`]],
    ["a wrong port", [token, "--port", "none"]],
    ["a wrong shape", [token, "--shape", "none"]],
  ])("sandbox that refuses %s", async (_what, args) => {
    const ended = await run("sandbox", "--access-token", ...args);
    expect(ended.code).toBe(2);
    expectNoLeak(ended);
  });

  const key = CANARIES.existingKey;
  it.each([
    ["from the environment", ["--api-key-env", "KEY"], "", 0],
    ["from the environment, for an import", ["--api-key-env", "KEY", "--import-file", "key.json"], "", 0],
    ["from stdin", ["--api-key-stdin"], key, 0],
    ["that is masked", ["--api-key-stdin"], `${key}***`, 1],
    ["of two lines", ["--api-key-stdin"], `${key}\n${key}`, 1],
    ["in place of the name of a variable", ["--api-key-env", key], "", 1],
    ["as an argument", ["--api-key", key], "", 2],
    ["as an argument, with =", [`--api-key=${key}`], "", 2],
    ["without an option", [key], "", 2],
    ["of an option without a value", [`--api-key-stdin=${key}`], "", 2],
    ["as the id of a webhook", ["--webhooks", key], "", 2],
    ["as a part of its own id", ["--api-key-stdin", "--import-file", "i", "--api-key-id", `k${key}`], key, 1],
    ["as its own id", ["--api-key-stdin", "--api-key-id", key], key, 2],
  ])("nor a key: adopt, with one %s", async (_what, args, stdin, code) => {
    const folder = await mkdtemp(join(tmpdir(), "partners-canary-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const words = [MAIN, "adopt", "--name", "checkout", "--cwd", folder, "--out", "checkout.ts", ...args];
    const ended = await runProcess(
      "bash",
      ["-c", `printf %s "$STDIN" | "$@"`, "bash", process.execPath, ...words],
      { env: { ...environment(), STDIN: stdin, KEY: key }, timeoutMs: 20_000 },
    );
    expect(ended.code).toBe(code);
    const { "key.json": imports, ...written } = await readFolder(folder);
    expect(findLeaks({ ...written, stdout: ended.stdout, stderr: ended.stderr }, CANARIES)).toEqual([]);
    expect(Object.keys(written)).toEqual(code === 0 ? ["checkout.ts"] : []);
    // The one place for it; were the search blind, this would show it.
    if (code === 0 && args.includes("--import-file"))
      expect(findLeaks({ imports: imports ?? "" }, CANARIES)).toEqual([
        expect.stringContaining("existingKey"),
      ]);
  });

  it("sandbox, which takes none from the environment and prints its own", async () => {
    const sandbox = spawn(process.execPath, [MAIN, "sandbox"], { env: environment() });
    const stderr = text(sandbox.stderr);
    let stdout = "";
    for await (const chunk of sandbox.stdout.setEncoding("utf8")) {
      stdout += String(chunk);
      if (stdout.includes("Ctrl-C stops it.")) sandbox.kill("SIGINT");
    }
    expect(stdout).toMatch(/^export PARTNERS_ACCESS_TOKEN=\S{16,}$/m);
    expect(findLeaks({ stdout, stderr: await stderr }, CANARIES)).toEqual([]);
  });
});

/** A service in which everything that can hold a secret holds one, names included. */
const ACCOUNT: SandboxOptions = {
  accessToken: token,
  keyAlphabet: "hostile",
  shape: {
    apiKey: ({ key, id }) => ({ apiKey: key, id, [key]: key, clientSecret: CANARIES.clientSecret }),
    webhooks: (list) => list.map((hook) => ({ ...hook, [token]: token, secret: CANARIES.webhookSecret })),
  },
};

/** The same, with nothing where it is looked for. */
const UNREADABLE: SandboxOptions = {
  ...ACCOUNT,
  shape: {
    apiKey: ({ key }) => ({ [key]: { [key]: key }, [token]: key, hidden: [CANARIES.clientSecret, key] }),
    webhooks: () => ({ [token]: [{ [token]: CANARIES.webhookSecret }], other: [{ secret: token }] }),
  },
};

/** An answer of a service that means well. */
function echo(status: number, operation: Operation): Fault {
  const body = JSON.stringify({ error: `invalid token ${token}`, secret: CANARIES.webhookSecret });
  const headers = {
    "x-request-id": token,
    "retry-after": "0",
    link: `<https://x.example/${token}>`,
    date: token,
  };
  return { kind: "status", status, operation, body, headers, times: Infinity };
}

describe("doctor repeats no secret, in a table or as JSON", () => {
  it.each<[string, SandboxOptions, number]>([
    ["when all is well", ACCOUNT, 0],
    ["when nothing is recognised", UNREADABLE, 3],
    ["when the token is rejected", { ...ACCOUNT, faults: [echo(401, "listWebhooks")] }, 1],
    ["when the creation is refused", { ...ACCOUNT, faults: [echo(409, "createApiKey")] }, 1],
    ["when the creation breaks", { ...ACCOUNT, faults: [echo(500, "createApiKey")] }, 3],
    ["when the deletion is refused", { ...ACCOUNT, faults: [echo(404, "deleteApiKey")] }, 3],
  ])("%s", async (_what, options, exitCode) => {
    const sandbox = await startSandbox(options);
    onTestFinished(() => sandbox.close());
    for (const format of [[], ["--json"]]) {
      const args = ["doctor", "--try-create", "--yes", ...format];
      const ended = await runWith({ PARTNERS_BASE_URL: sandbox.url }, ...args);
      // 1 instead of 0 on a machine without a Pulumi CLI.
      expect(exitCode === 0 ? [0, 1] : [exitCode]).toContain(ended.code);
      expect(ended.stdout).toContain("latency");
      expectNoLeak(ended);
      const keys = Object.fromEntries(sandbox.apiKeys.map((key, index) => [`key ${index}`, key]));
      expect(findLeaks({ stdout: ended.stdout, stderr: ended.stderr }, keys)).toEqual([]);
    }
  });

  it.each([
    ["in the address", { PARTNERS_BASE_URL: `https://u:${encodeURIComponent(token)}@partners.example.com` }],
    ["behind the address", { PARTNERS_BASE_URL: `https://partners.example.com/?${token}` }],
    ["in place of a number", { PARTNERS_REQUEST_TIMEOUT: token }],
    ["in place of a mapping", { PARTNERS_RESPONSES: token }],
    ["in a mapping", { PARTNERS_RESPONSES: JSON.stringify({ [token]: token, apiKey: token }) }],
    ["in the address of a proxy", proxyWith(`http://u:${encodeURIComponent(token)}@127.0.0.1:1/${token}`)],
    ["in place of a proxy", proxyWith(token)],
  ])("when there is one %s", async (_what, env) => {
    for (const format of [[], ["--json"]]) {
      const ended = await runWith(env, "doctor", ...format);
      expect(ended.code).toBe(1);
      expectNoLeak(ended);
    }
  });
});

function proxyWith(address: string): NodeJS.ProcessEnv {
  return { PARTNERS_BASE_URL: "https://partners.invalid", HTTPS_PROXY: address, https_proxy: address };
}
