import { spawn } from "node:child_process";
import type { OutgoingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";

import { CANARIES, findLeaks } from "../support/canary.ts";
import { type Ended, inheritedEnv, runProcess } from "../support/process.ts";
import { serviceOf } from "./scripted-cli.ts";

const MAIN = join(import.meta.dirname, "../../provider/dist/cli/main.js");
const { token, existingKey: key, webhookSecret } = CANARIES;

function environment(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  // Nobody listens there, so a command that sends something fails, and may say why.
  const settings = {
    PARTNERS_BASE_URL: "http://127.0.0.1:1",
    PARTNERS_ACCESS_TOKEN: token,
    PARTNERS_DEBUG: "1",
  };
  return { ...inheritedEnv(), ...settings, ...env };
}

/** Runs a command outside of any project. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const options = { env: environment(env), cwd: tmpdir(), timeoutMs: 30_000 };
  const ended = await runProcess(process.execPath, [MAIN, ...args], options);
  expect(findLeaks({ stdout: ended.stdout, stderr: ended.stderr }, CANARIES)).toEqual([]);
  return ended;
}

describe("the command line repeats no secret", () => {
  it.each([
    [0, ["--help"]],
    [2, [key]],
    [2, ["doctor", key]],
    [2, ["doctor", `--${key}`]],
    [2, ["doctor", `--cwd=${key}`]],
    [2, ["sandbox", `--api-key=${key}`]],
  ])("exit code %i: %j", async (code, args) => {
    expect((await run(args)).code).toBe(code);
  });

  it("and the sandbox takes no token from the environment", async () => {
    const sandbox = spawn(process.execPath, [MAIN, "sandbox"], { env: environment() });
    const stderr = text(sandbox.stderr);
    let stdout = "";
    for await (const chunk of sandbox.stdout.setEncoding("utf8")) {
      stdout += String(chunk);
      if (stdout.includes("Press Ctrl-C to stop it.")) sandbox.kill("SIGINT");
    }
    expect(stdout).toMatch(/^export PARTNERS_ACCESS_TOKEN=\S{16,}$/m);
    expect(findLeaks({ stdout, stderr: await stderr }, CANARIES)).toEqual([]);
  });
});

describe("the doctor repeats no secret", () => {
  const hook = { id: 7, [token]: token, secret: webhookSecret };
  const echo = { error: `invalid token ${token}`, secret: webhookSecret };
  const echoed = { "x-request-id": token, "retry-after": "0", link: `<https://x.example/${token}>` };

  it.each<[string, string, number, unknown, OutgoingHttpHeaders]>([
    ["in a list", "ok       shape", 200, [{ ...hook, active: true }], {}],
    ["in a state that is unknown", "warning  shape", 200, [{ ...hook, state: token }], {}],
    [
      "in a list that is not recognised",
      "failed   shape",
      200,
      { [token]: [{ [token]: token }], other: [hook] },
      {},
    ],
    ["in a rejection", "failed   service", 401, echo, echoed],
    ["in a success that reports a failure", "failed   service", 200, { success: false, ...echo }, echoed],
  ])("%s", async (_what, expected, status, body, headers) => {
    const url = await serviceOf(status, JSON.stringify(body), headers);
    expect((await run(["doctor"], { PARTNERS_BASE_URL: url })).stdout).toContain(expected);
  });

  const proxy = (address: string) => ({
    PARTNERS_BASE_URL: "https://partners.invalid",
    HTTPS_PROXY: address,
    https_proxy: address,
  });
  it.each([
    ["in the address", { PARTNERS_BASE_URL: `https://u:${encodeURIComponent(token)}@partners.example.com` }],
    ["after the address", { PARTNERS_BASE_URL: `https://partners.example.com/?${token}` }],
    ["in place of a number", { PARTNERS_REQUEST_TIMEOUT: token }],
    ["in place of a mapping", { PARTNERS_RESPONSES: token }],
    ["in a mapping", { PARTNERS_RESPONSES: JSON.stringify({ [token]: token, apiKey: token }) }],
    ["in the address of a proxy", proxy(`http://u:${encodeURIComponent(token)}@127.0.0.1:1/${token}`)],
    ["in place of a proxy", proxy(token)],
  ])("%s", async (_what, env) => {
    expect((await run(["doctor"], env)).code).toBe(1);
  });
});
