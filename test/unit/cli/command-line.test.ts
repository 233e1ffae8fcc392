import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";

import manifest from "../../../provider/package.json" with { type: "json" };
import { sandboxCommand } from "../../../provider/src/cli/sandbox-command.ts";
import { startSandbox } from "../../../provider/src/sandbox/sandbox.ts";
import { ROOT } from "../../../provider/tools/checkout.ts";
import { runProcess, runShell, type Ended } from "../../../provider/tools/child-process.ts";

const MAIN = join(ROOT, "provider/dist/cli/main.js"); // Created by `npm run build`.

function run(...args: string[]): Promise<Ended> {
  return runProcess(process.execPath, [MAIN, ...args]);
}

/**
 * Starts the sandbox in a process of its own, and ends it with a signal after use.
 *
 * @param use Gets a function that returns the output so far.
 */
async function withSandbox(
  args: readonly string[],
  signal: NodeJS.Signals,
  use: (printed: () => string) => Promise<void>,
): Promise<void> {
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
    const args = ["--access-token", "a$b'c", "--latency", "1"];
    await withSandbox(args, "SIGTERM", async (printed) => {
      expect(printed()).toContain(
        "\n  101  active    orders\n  102  active    invoices\n  103  disabled  refunds\n",
      );
      expect(printed()).toMatch(/^export PARTNERS_ACCESS_TOKEN='a\$b'\\''c'$/m);
      const [url] = /(?<=^export PARTNERS_BASE_URL=).*$/m.exec(printed()) ?? [];
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      const [command = ""] = /^curl .*$/m.exec(printed()) ?? [];
      expect((await runShell(command, {})).stdout).toBe('{"success":true}');
      await expect.poll(printed, { timeout: 20_000 }).toMatch(/\nPATCH \/webhooks\/101\/disable 200\n$/);
    });
  });

  test("prints one line for each request, and no key", async () => {
    await withSandbox(["--access-token", "token"], "SIGINT", async (printed) => {
      const [url = ""] = /(?<=^export PARTNERS_BASE_URL=).*$/m.exec(printed()) ?? [];
      const send = async (method: string, path: string): Promise<string> =>
        (await fetch(url + path, { method, headers: { authorization: "Bearer token" } })).text();
      const created = await send("POST", "/api/v1/partners/api-key");
      const { apiKey } = JSON.parse(created) as { apiKey: string };
      await send("DELETE", `/api/v1/partners/api-key/${apiKey}`);
      await send("GET", `/wrong/api-key/${apiKey}`);
      await expect
        .poll(() => printed().split("Requests:\n")[1], { timeout: 20_000 })
        .toBe("POST /api-key 201\nDELETE /api-key/{api_key} 200\nGET /wrong/api-key/{api_key} 404\n");
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
    [{ port: "x" }, "--port must be a whole number from 0 to 65535."],
    [{ port: "65536" }, "--port must be a whole number from 0 to 65535."],
    [{ latency: "1s" }, "--latency must be a whole number from 0 to 600000."],
    [{ "access-token": "" }, "--access-token must be letters, digits and punctuation, without spaces."],
  ])("refuses %j", async (values, message) => {
    await expect(sandboxCommand.run(values)).rejects.toThrow(message);
  });
});

test("npx --no -- pulumi-partners prints the commands, the options of one, and the version", async () => {
  const npx = (args: string): Promise<Ended> =>
    runShell(`npx --no -- pulumi-partners ${args}`, { cwd: ROOT });
  const overview = await npx("--help");
  expect([overview.code, overview.stderr]).toEqual([0, ""]);
  expect(overview.stdout).toMatch(/^Usage: pulumi-partners <command>[^]*^ {2}doctor [^]*^ {2}sandbox /m);
  expect((await run("sandbox", "-h")).stdout).toMatch(/^Usage: pulumi-partners sandbox /);
  expect((await run("--version")).stdout).toBe(`${manifest.version}\n`);
});

test.each([
  [[], 'Name a command: run "npx --no -- pulumi-partners --help".'],
  [["pk_live_hunter22"], 'Name a command: run "npx --no -- pulumi-partners --help".'],
  [
    ["doctor", "pk_live_hunter22"],
    'An option is unknown or has no value: run "npx --no -- pulumi-partners doctor --help".',
  ],
])("the command line %j fails with one sentence, which does not repeat it", async (args, message) => {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: `pulumi-partners: ${message}\n` });
});
