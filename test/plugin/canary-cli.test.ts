import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";

import { CANARIES, findLeaks } from "../support/canary.ts";
import { inheritedEnv } from "../support/inherited-env.ts";
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
  return runProcess(process.execPath, [MAIN, ...args], { env: environment(), timeoutMs: 20_000 });
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
