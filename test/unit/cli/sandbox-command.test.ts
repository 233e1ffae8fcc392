import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";

import manifest from "../../../provider/package.json" with { type: "json" };
import { UsageError } from "../../../provider/src/cli/command.js";
import { doctorCommand } from "../../../provider/src/cli/doctor.js";
import { sandboxCommand } from "../../../provider/src/cli/sandbox-command.js";
import { startSandbox } from "../../../provider/src/sandbox/sandbox.js";
import { ROOT } from "../../../provider/tools/checkout.ts";
import { inheritedEnv, runProcess, type Ended } from "../../../provider/tools/child-process.ts";

const MAIN = join(ROOT, "provider/dist/cli/main.js"); // Created by `npm run build`.
const WEBHOOKS = "/api/v1/partners/webhooks";

function run(...args: string[]): Promise<Ended> {
  return runProcess(process.execPath, [MAIN, ...args], { timeoutMs: 20_000 });
}

/**
 * Starts the sandbox in a separate process, and ends it with a signal after use.
 *
 * @param use Gets a function that returns the output so far, and one that sends a request with the printed
 * settings, and one that types a line.
 */
async function withSandbox(
  args: readonly string[],
  signal: NodeJS.Signals,
  use: (
    printed: () => string,
    send: (path: string, method?: string, headers?: Record<string, string>) => Promise<Response>,
    type: (line: string) => void,
  ) => Promise<void>,
): Promise<void> {
  const child = spawn(process.execPath, [MAIN, "sandbox", ...args], { stdio: "pipe" });
  const [exit, stderr] = [once(child, "close"), text(child.stderr)];
  try {
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => (printed += String(chunk)));
    await expect.poll(() => printed, { timeout: 10_000 }).toContain("Press Ctrl-C to stop it.");
    const exported = (name: string) => new RegExp(`^export ${name}='?(.*?)'?$`, "m").exec(printed)?.[1] ?? "";
    const authorization = `Bearer ${exported("PARTNERS_ACCESS_TOKEN").replaceAll("'\\''", "'")}`;
    await use(
      () => printed,
      (path, method = "GET", headers = { authorization }) =>
        fetch(`${exported("PARTNERS_BASE_URL")}${path}`, { method, headers }),
      (line) => child.stdin.write(`${line}\n`),
    );
    child.kill(signal);
    expect(await exit).toEqual([0, null]);
    expect(await stderr).toBe("");
  } finally {
    child.kill("SIGKILL");
  }
}

describe("pulumi-partners sandbox", () => {
  test("prints one line per request, with the ID of a webhook but no key", async () => {
    await withSandbox([], "SIGINT", async (printed, send) => {
      const created = await (await send("/api/v1/partners/api-key", "POST")).text();
      const [key = ""] = /pk_live_[\w-]+/.exec(created) ?? [];
      expect(key).not.toBe("");
      await (await send(`/api/v1/partners/api-key/${key}`, "DELETE")).text();
      await (await send(`${WEBHOOKS}/101/disable`, "PATCH")).text();
      await (await send(`/wrong/api-key/${key}`)).text();
      await expect
        .poll(() => printed().split("\n").slice(-5), { timeout: 10_000 })
        .toEqual([
          expect.stringMatching(/^POST \/api-key 20\d$/),
          expect.stringMatching(/^DELETE \/api-key\/\{api_key\} 20\d$/),
          "PATCH /webhooks/101/disable 200",
          "GET (not a path of the Partner API) 404",
          "",
        ]);
      expect(printed()).not.toContain(key);
    });
  });

  test("uses the port and token of its options, and reports a port that is in use", async () => {
    const holder = await startSandbox();
    const { port } = new URL(holder.url);
    const failed = await run("sandbox", "--port", port);
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toMatch(
      /^pulumi-partners sandbox: .*\(EADDRINUSE\)\. Choose another port, or 0\.\n$/,
    );
    await holder.close();
    const args = ["--port", port, "--access-token", "a$b'c"];
    await withSandbox(args, "SIGTERM", async (printed, send) => {
      expect(printed()).toContain(`export PARTNERS_BASE_URL=http://127.0.0.1:${port}\n`);
      expect(printed()).toContain("export PARTNERS_ACCESS_TOKEN='a$b'\\''c'\n");
      expect(printed()).toContain(
        "\n  101  active    orders\n  102  active    invoices\n  103  disabled  refunds\n",
      );
      expect((await send(WEBHOOKS)).status).toBe(200);
    });
  });

  test("shows its list on pages, as its options say, and the doctor reads them all", async () => {
    const args = ["--page-size", "2", "--page-style", "cursor"];
    await withSandbox(args, "SIGTERM", async (printed, send) => {
      const bodyOf = async (query: string): Promise<unknown> => (await send(`${WEBHOOKS}${query}`)).json();
      expect(await bodyOf("")).toMatchObject({ webhooks: [{}, {}], next_cursor: "after-102" });
      expect(await bodyOf("?cursor=after-102")).toMatchObject({ webhooks: [{ webhookId: 103 }] });
      const exported = [...printed().matchAll(/^export (\w+)='?(.*?)'?$/gm)];
      const settings = exported.map(([, name = "", value = ""]) => [name, value] as const);
      const env = { ...inheritedEnv(), ...Object.fromEntries(settings) };
      const { code, stdout } = await runProcess(process.execPath, [MAIN, "doctor"], { cwd: tmpdir(), env });
      expect(stdout).toContain("3 on the server");
      expect(code).toBe(0);
      const pages = () => printed().match(/^GET \/webhooks(\?cursor=after-102)? 200$/gm);
      await expect.poll(pages, { timeout: 10_000 }).toHaveLength(4);
    });
  });

  test("changes its webhooks as someone types, and says what it cannot change", async () => {
    await withSandbox([], "SIGTERM", async (printed, send, type) => {
      const typed = ["disable 101", " remove  102", "activate 103", "add 7", "remove 9", "", "disable x"];
      for (const line of typed) type(line);
      await expect
        .poll(() => printed().split("Requests:\n")[1], { timeout: 10_000 })
        .toBe(
          [
            "Webhook 101 is now disabled.",
            "Webhook 102 is now gone.",
            "Webhook 103 is now active.",
            "Webhook 7 is now active.",
            "The sandbox has no webhook 9.",
            'Type "disable", "activate", "remove" or "add", and the ID of a webhook, such as "disable 101".\n',
          ].join("\n"),
        );
      expect(await (await send(WEBHOOKS)).json()).toEqual([
        { webhookId: 101, name: "orders", state: "disabled" },
        { webhookId: 103, name: "refunds", state: "active" },
        { webhookId: 7, name: "webhook-7", state: "active" },
      ]);
    });
  });

  test("waits before each response, and refuses every request", async () => {
    await withSandbox(["--delay", "300", "--fail", "503"], "SIGHUP", async (printed, send) => {
      const started = performance.now();
      expect((await send("/api/v1/partners/api-key", "POST")).status).toBe(503);
      expect(performance.now() - started).toBeGreaterThan(290);
      await expect.poll(printed, { timeout: 10_000 }).toContain("\nPOST /api-key 503\n");
    });
  });
});

describe("pulumi-partners sandbox as another service", () => {
  test("returns the same key with --keys same", async () => {
    await withSandbox(["--keys", "same"], "SIGTERM", async (_printed, send) => {
      const create = async (): Promise<unknown> => (await send("/api/v1/partners/api-key", "POST")).json();
      expect(await create()).toEqual(await create());
    });
  });

  test("has another account with --other-account, and prints how to use it", async () => {
    await withSandbox(["--other-account", "to'ken"], "SIGTERM", async (printed, send) => {
      expect(printed()).toContain("Token of the other account: 'to'\\''ken'\n");
      const states = async (headers?: Record<string, string>): Promise<unknown> =>
        (await send(WEBHOOKS, "GET", headers)).json();
      await send(`${WEBHOOKS}/101/disable`, "PATCH");
      expect(await states()).toMatchObject([{ state: "disabled" }, {}, {}]);
      expect(await states({ authorization: "Bearer to'ken" })).toMatchObject([{ state: "active" }, {}, {}]);
    });
  });
});

describe("the command line", () => {
  test("--version and --help print the version, the commands, and the options of a command", async () => {
    // npm links the command in a clone.
    const command = join(ROOT, "node_modules/.bin/pulumi-partners");
    expect(execFileSync(command, ["--version"], { encoding: "utf8" })).toBe(`${manifest.version}\n`);
    const overview = await run("--help");
    expect(overview).toMatchObject({ code: 0, stderr: "" });
    expect(overview.stdout).toMatch(/^Usage: pulumi-partners <command>[^]*^ {2}doctor [^]*^ {2}sandbox /m);
    const { code, stdout } = await run("sandbox", "-h");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Usage: pulumi-partners sandbox /)]);
  });

  test.each([
    ["pulumi-partners", [], "a command is missing"],
    ["pulumi-partners", ["pk_live_hunter22"], "there is no such command"],
    ["pulumi-partners sandbox", ["sandbox", "--port", "x"], "--port must be a whole number from 0 to 65535"],
  ])("%s rejects %j with one sentence and exit code 2", async (prefix, args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe(`${prefix}: ${message}. For usage, run "${prefix} --help".\n`);
  });

  const OPTIONS = "an option is unknown or has no value; valid options are --stack=<value>, --cwd=<value>";

  test.each([
    [doctorCommand, "pk_live_hunter22", OPTIONS],
    [doctorCommand, "--stack=", "--stack must be the name of a stack"],
    [doctorCommand, "--stack", OPTIONS],
    [doctorCommand, "--cwd /nowhere/at/all", "--cwd must be a folder that exists"],
    [doctorCommand, "--cwd / --stack x", "--stack needs a Pulumi project, and there is none here; use --cwd"],
    [sandboxCommand, "--fail 200", "--fail must be a whole number from 400 to 599"],
    [
      sandboxCommand,
      "--access-token=",
      "--access-token must be letters, digits and punctuation, without spaces",
    ],
    [sandboxCommand, "--keys all", "--keys must be one of: new, same, oneRecord, byId, refused"],
    [
      sandboxCommand,
      "--other-account ä",
      "--other-account must be letters, digits and punctuation, without spaces",
    ],
    [sandboxCommand, "--page-size 0", "--page-size must be a whole number from 1 to 1000000"],
    [sandboxCommand, "--page-style link", "--page-style needs --page-size"],
    [
      sandboxCommand,
      "--page-size 2 --page-style all",
      "--page-style must be one of: link, next-url, cursor, token, page, offset, has-more",
    ],
    [sandboxCommand, "--delay 1s", "--delay must be a whole number from 0 to 600000"],
  ])("rejects $1", async (command, args, message) => {
    await expect(command.run(args.split(" "))).rejects.toThrow(new UsageError(message));
  });
});
