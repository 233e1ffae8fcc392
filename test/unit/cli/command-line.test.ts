import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";

import manifest from "../../../provider/package.json" with { type: "json" };
import { announcement, sandboxCommand } from "../../../provider/src/cli/sandbox-command.ts";
import { startSandbox } from "../../../provider/src/sandbox/sandbox.ts";
import { ROOT } from "../../../provider/tools/checkout.ts";
import { runProcess, runShell, type Ended } from "../../../provider/tools/child-process.ts";

const MAIN = join(ROOT, "provider/dist/cli/main.js"); // Created by `npm run build`.

function run(...args: string[]): Promise<Ended> {
  return runProcess(process.execPath, [MAIN, ...args]);
}

/** What a test does with a sandbox. @param printed Returns the output so far. */
type Use = (printed: () => string) => Promise<void>;

/** Starts the sandbox in a process of its own, and ends it with a signal after use. */
async function withSandbox(args: readonly string[], signal: NodeJS.Signals, use: Use): Promise<void> {
  const child = spawn(process.execPath, [MAIN, "sandbox", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const [exit, stderr] = [once(child, "close"), text(child.stderr)];
  try {
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => (printed += String(chunk)));
    await expect.poll(() => printed, { timeout: 20_000 }).toContain("Press Ctrl-C to stop it.");
    await use(() => printed);
    child.kill(signal);
    expect([await exit, await stderr]).toEqual([[0, null], ""]);
  } finally {
    child.kill("SIGKILL");
  }
}

describe("pulumi-partners sandbox", () => {
  test("prints the settings, the webhooks, and a command that changes one", async () => {
    const args = ["--access-token", "a$b'c"];
    await withSandbox(args, "SIGTERM", async (printed) => {
      expect(printed()).toMatch(/^ {2}101 {2}active {4}orders\n {2}102 .*\n {2}103 {2}disabled {2}refunds$/m);
      expect(printed()).toMatch(/^export PARTNERS_ACCESS_TOKEN='a\$b'\\''c'$/m);
      const [command = ""] = /^curl .*$/m.exec(printed()) ?? [];
      expect((await runShell(command, {})).stdout).toBe('{"success":true}');
      await expect.poll(printed, { timeout: 20_000 }).toMatch(/\nPATCH \/webhooks\/101\/disable 200\n$/);
    });
  });

  test("prints commands for PowerShell on Windows", () => {
    const webhooks = new Map([[101, "active" as const]]);
    const sandbox = { url: "http://127.0.0.1:4010", accessToken: "a$b'c", webhooks };
    const commands = announcement(sandbox, "win32").match(/^(?:\$|curl|export).*$/gm);
    expect(commands).toEqual([
      "$env:PARTNERS_BASE_URL = 'http://127.0.0.1:4010'",
      "$env:PARTNERS_ACCESS_TOKEN = 'a$b''c'",
      "curl.exe -X PATCH -H 'Authorization: Bearer a$b''c' " +
        "http://127.0.0.1:4010/api/v1/partners/webhooks/101/disable",
    ]);
  });

  test("prints one line for each request, and no key", async () => {
    await withSandbox(["--access-token", "token"], "SIGINT", async (printed) => {
      const [url = ""] = /(?<=^export PARTNERS_BASE_URL=)http:\/\/127\.0\.0\.1:\d+$/m.exec(printed()) ?? [];
      const send = async (method: string, path: string): Promise<string> =>
        (await fetch(url + path, { method, headers: { authorization: "Bearer token" } })).text();
      const { apiKey } = JSON.parse(await send("POST", "/api/v1/partners/api-key")) as { apiKey: string };
      await send("DELETE", `/api/v1/partners/api-key/${apiKey}`);
      await send("GET", `/wrong/api-key/${apiKey}`);
      const lines = "POST /api-key 201\nDELETE /api-key/{api_key} 200\nGET /wrong/api-key/{api_key} 404\n";
      await expect.poll(() => printed().split("Requests:\n")[1], { timeout: 20_000 }).toBe(lines);
      expect(printed()).not.toContain(apiKey);
    });
  });

  test("reports a port that is in use", async () => {
    await using holder = await startSandbox();
    const { code, stdout, stderr } = await run("sandbox", "--port", new URL(holder.url).port);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^pulumi-partners: .*\(EADDRINUSE\)\. Choose another port, or 0\.\n$/);
  });

  test.each([
    [{ port: "65536" }, "--port must be a whole number from 0 to 65535."],
    [{ "access-token": "" }, "--access-token must be letters, digits and punctuation, without spaces."],
  ])("refuses %j", async (values, message) => {
    await expect(sandboxCommand.run(values)).rejects.toThrow(message);
  });
});

const NPX = "npx --no -- pulumi-partners";

test("npx --no -- pulumi-partners prints the commands, the options of one, and the version", async () => {
  const overview = await runShell(`${NPX} --help`, { cwd: ROOT });
  expect([overview.code, overview.stderr]).toEqual([0, ""]);
  expect(overview.stdout).toMatch(/^Usage: pulumi-partners <command>[^]*^ {2}doctor [^]*^ {2}sandbox /m);
  expect((await run("sandbox", "-h")).stdout).toMatch(/^Usage: pulumi-partners sandbox /);
  expect((await run("--version")).stdout).toBe(`${manifest.version}\n`);
});

test.each([
  [[], `The command is missing or unknown: run "${NPX} --help".`],
  [["pk_live_hunter22"], `The command is missing or unknown: run "${NPX} --help".`],
  [["doctor", "pk_live_hunter22"], `An option is unknown or has no value: run "${NPX} doctor --help".`],
])("the command line %j fails with one sentence, which does not repeat it", async (args, message) => {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: `pulumi-partners: ${message}\n` });
});
