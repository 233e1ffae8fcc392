import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { startSandbox } from "../../../provider/src/sandbox/sandbox.js";

const MAIN = fileURLToPath(new URL("../../../provider/dist/cli/main.js", import.meta.url)); // As `npm run build` leaves it.

function start(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  return { child, stderr: text(child.stderr), exit: once(child, "close") };
}

async function run(...args: string[]) {
  const { child, stderr, exit } = start(...args);
  const stdout = await text(child.stdout);
  const [code] = (await exit) as [number | null];
  return { code, stdout, stderr: await stderr };
}

test("the command that npm links in a clone can be executed", () => {
  const command = fileURLToPath(new URL("../../../node_modules/.bin/pulumi-partners", import.meta.url));
  expect(execFileSync(command, ["--version"], { encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/);
});

/** Starts the sandbox, hands over what it printed, and sends it a signal afterwards. */
async function withSandbox(args: string[], signal: NodeJS.Signals, use: (printed: string) => Promise<void>) {
  const { child, stderr, exit } = start("sandbox", ...args);
  try {
    let printed = "";
    for await (const chunk of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
      printed += String(chunk);
      if (printed.includes("Ctrl-C stops it.")) break;
    }
    if (!printed.includes("Ctrl-C stops it.")) throw new Error(`It did not start: ${await stderr}`);
    await use(printed);
    child.kill(signal);
    expect(await exit).toEqual([0, null]);
    expect(await stderr).toBe("");
  } finally {
    child.kill("SIGKILL");
  }
}

/** The variable as the shell would set it. */
function exported(printed: string, name: string): string {
  return new RegExp(`^export ${name}='?(.*?)'?$`, "m").exec(printed)?.[1] ?? "";
}

describe("pulumi-partners sandbox", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "prints what to copy, serves, and ends with 0 on %s",
    async (signal) => {
      await withSandbox([], signal, async (printed) => {
        const url = exported(printed, "PARTNERS_BASE_URL");
        const authorization = `Bearer ${exported(printed, "PARTNERS_ACCESS_TOKEN")}`;
        const response = await fetch(`${url}/api/v1/partners/webhooks`, { headers: { authorization } });
        expect(response.status).toBe(200);
        const list = (await response.json()) as { webhookId: number; state: string }[];
        expect(list.length).toBeGreaterThan(0);
        for (const { webhookId, state } of list) expect(printed).toContain(`  ${webhookId}  ${state}\n`);
      });
    },
  );

  test("takes token and webhooks from its options", async () => {
    const args = ["--access-token", "a$b'c", "--webhooks", "7:active,8:disabled"];
    await withSandbox(args, "SIGTERM", async (printed) => {
      expect(printed).toContain("export PARTNERS_ACCESS_TOKEN='a$b'\\''c'\n");
      expect(printed).toContain("Webhooks:\n  7  active\n  8  disabled\n");
      const url = exported(printed, "PARTNERS_BASE_URL");
      const response = await fetch(`${url}/api/v1/partners/webhooks`, {
        headers: { authorization: "Bearer a$b'c" },
      });
      expect(await response.json()).toEqual([
        { webhookId: 7, state: "active" },
        { webhookId: 8, state: "disabled" },
      ]);
    });
  });

  test("listens on the port it is given, or says that it is taken", async () => {
    const holder = await startSandbox();
    const { port } = new URL(holder.url);
    const taken = await run("sandbox", "--port", port);
    expect(taken).toMatchObject({ code: 1, stdout: "" });
    expect(taken.stderr).toMatch(/^pulumi-partners sandbox: .*in use\. Choose another port, or 0\.\n$/);
    await holder.close();
    await withSandbox(["--port", port], "SIGTERM", async (printed) => {
      expect(exported(printed, "PARTNERS_BASE_URL")).toBe(`http://127.0.0.1:${port}`);
      return Promise.resolve();
    });
  });
});

describe("what is printed", () => {
  test("--help lists the commands, and behind a command its options", async () => {
    const overview = await run("--help");
    expect(overview).toMatchObject({ code: 0, stderr: "" });
    expect(overview.stdout).toMatch(/^Usage: pulumi-partners <command>/);
    expect(overview.stdout).toMatch(/^ {2}sandbox /m);
    for (const other of ["-h", "help"]) expect(await run(other)).toEqual(overview);
    const sandbox = await run("sandbox", "--help");
    expect(sandbox).toMatchObject({ code: 0, stderr: "" });
    expect(await run("sandbox", "-h")).toEqual(sandbox);
    expect(await run("help", "sandbox")).toEqual(sandbox);
    for (const option of ["--port", "--access-token", "--webhooks"]) {
      expect(sandbox.stdout).toContain(`  ${option} <`);
    }
  });

  test("--version is that of the package", async () => {
    const manifest = readFileSync(new URL("../../../provider/package.json", import.meta.url), "utf8");
    const { version } = JSON.parse(manifest) as { version: string };
    expect(await run("--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test.each([
    [[], "a command is missing"],
    [["sandbocks"], "no such command"],
    [["help", "sandbocks"], "no such command"],
    [["toString"], "no such command"],
    [["sandbox", "--prot", "1"], "Unknown option '--prot'"],
    [["sandbox", "extra"], "only options are understood."],
    [["sandbox", "--port"], "'--port"],
    [["sandbox", "--port", "http"], '--port must be a whole number from 0 to 65535, not "http"'],
    [["sandbox", "--port", "65536"], "from 0 to 65535"],
    [["sandbox", "--access-token", "a b"], "--access-token must be"],
    [["sandbox", "--access-token", "-x"], "--access-token=-XYZ"],
    [["sandbox", "--webhooks", "7"], '"7" is not'],
    [["sandbox", "--webhooks", "7:active,8:off"], '"8:off" is not'],
    [["sandbox", "--webhooks", "99999999999999999999:active"], "is not"],
  ])("%j is refused in one line with exit code 2", async (args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(
      /^pulumi-partners( sandbox)?: [^\n]+ Try "pulumi-partners( sandbox)? --help"\.\n$/,
    );
  });
});
