import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { type Ended, inheritedEnv, runProcess } from "../../provider/tools/child-process.ts";
import { CANARIES, findLeaks } from "../support/canary.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { sandboxFor } from "./support.ts";

const { token: TOKEN, header, webhookSecret } = CANARIES;
const HEADERS = JSON.stringify({ "X-Gateway-Key": header });
const UNRECOGNIZED = JSON.stringify({ incoming: [{ ref: 1 }], outgoing: [{ ref: 2 }, { ref: 3 }] });
const NOWHERE = "http://127.0.0.1:1";
const OUTSIDE = "To check the environment variables alone, use --cwd with a folder outside any project.";

/** Runs the doctor, by default outside any project. Its output must contain no canary. */
async function doctor(
  env: Readonly<Record<string, string>>,
  cwd = tmpdir(),
  args: string[] = [],
): Promise<Ended> {
  const options = { env: { ...inheritedEnv(), ...env }, cwd, timeoutMs: 30_000 };
  const main = join(ROOT, "provider/dist/cli/main.js");
  const ended = await runProcess(process.execPath, [main, "doctor", ...args], options);
  expect(findLeaks({ stdout: ended.stdout, stderr: ended.stderr }, CANARIES)).toEqual([]);
  return ended;
}

/** Starts a service that returns the same response to every request. Returns its URL. */
async function serviceOf(status: number, body: string, headers = {}): Promise<string> {
  const faults = [{ kind: "status", status, body, headers, times: Infinity }] as const;
  return (await sandboxFor({ accessToken: TOKEN, faults })).url;
}

/** The settings, as variables and as stack configuration. */
const inEnvironment = (url: string) => ({
  PARTNERS_BASE_URL: url,
  PARTNERS_ACCESS_TOKEN: TOKEN,
  PARTNERS_HEADERS: HEADERS,
});
const inStack = (url: string) => ({
  "partners:baseUrl": { value: url },
  "partners:accessToken": { value: TOKEN, secret: true },
  "partners:headers": { value: HEADERS, secret: true },
});

/** The settings of an explicit provider in the native plugin. */
const configured = (url: string) => ({ baseUrl: url, accessToken: TOKEN, headers: HEADERS });

/** What the Pulumi CLI prints. */
interface Stack {
  readonly config?: object;
  readonly resources?: readonly object[];
  readonly pending?: readonly object[];
  /** The error of every command. */
  readonly error?: string;
}

/**
 * Runs the doctor in a project with a script instead of the Pulumi CLI, so that the stack can contain
 * anything.
 */
async function doctorIn(stack: Stack, args: string[] = []): Promise<Ended> {
  const { config = {}, resources = [], pending = [], error = "" } = stack;
  const folder = await temporaryFolder();
  await mkdir(join(folder, "bin"));
  const written = {
    "Pulumi.yaml": "name: shop\nruntime: nodejs\n",
    "error.txt": error,
    "config.json": JSON.stringify(config),
    "export.json": JSON.stringify({ version: 3, deployment: { resources, pending_operations: pending } }),
    "bin/pulumi": `#!/bin/sh
[ -s error.txt ] && { cat error.txt >&2; exit 255; }
case "$*" in
  "stack --show-name --non-interactive") echo dev ;;
  "config --show-secrets --json --stack "*) cat config.json ;;
  "stack export --show-secrets --stack "*) cat export.json ;;
  *) exit 1 ;;
esac
`,
  };
  for (const [path, text] of Object.entries(written)) await writeFile(join(folder, path), text);
  await chmod(join(folder, "bin/pulumi"), 0o755);
  return doctor({ PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}` }, folder, args);
}

/** Returns a webhook resource as it appears in the state. */
function webhookInState(name: string, webhookId: number, account = "default", more: object = {}): object {
  const type = "pulumi-nodejs:dynamic/partners:PartnerWebhookState";
  return { urn: `urn:pulumi:dev::shop::${type}::${name}`, type, outputs: { webhookId, account }, ...more };
}

/** Returns the checks in the output, such as `service ok`. */
function statuses({ stdout }: Ended): string[] {
  const lines = stdout.matchAll(/^(ok|warning|failed) +([a-z-]+) /gm);
  return [...lines].map(([, status = "", name = ""]) => `${name} ${status}`);
}

it("docs/troubleshooting.md shows the output of the doctor, which sends one request", async () => {
  const text = await readFile(join(ROOT, "docs/troubleshooting.md"), "utf8");
  const [, page = ""] = text.split("\n## The doctor\n");
  const [, healthy = ""] = /^```text\n(.*?)^```$/ms.exec(page) ?? [];
  const sandbox = await sandboxFor({ accessToken: TOKEN });
  const resources = [webhookInState("orders", 101), webhookInState("refunds", 103)];
  const { code, stdout, stderr } = await doctorIn({ config: inStack(sandbox.url), resources });
  expect(stdout.replace(sandbox.url, "http://127.0.0.1:4010")).toBe(healthy);
  expect([code, stderr]).toEqual([0, ""]);
  expect(sandbox.requests).toMatchObject([{ method: "GET" }]);
});

it("the doctor prints the commands that may make an unrecognized list readable", async () => {
  const unrecognized = `\
failed   shape       The list is not recognized. Set responses.webhooks to a JSON Pointer.
         One of these is right:
         pulumi config set --path 'partners:responses.webhooks' /incoming
         pulumi config set --path 'partners:responses.webhooks' /outgoing
`;
  const ended = await doctorIn({ config: inStack(await serviceOf(200, UNRECOGNIZED)) });
  expect([ended.code, ended.stdout]).toEqual([1, expect.stringContaining(unrecognized)]);
});

it.each([
  ["the list is no list", 200, '"none"', true],
  ["there is no such operation", 405, "{}", true],
  ["a setting makes the list readable", 200, UNRECOGNIZED, false],
  ["the token is rejected", 401, "{}", false],
  ["the address may be wrong", 404, "{}", false],
])(
  "the doctor proposes readWebhooks only if nothing else can work: %s",
  async (_what, status, body, proposed) => {
    const { code, stdout } = await doctor(inEnvironment(await serviceOf(status, body)));
    expect(code).toBe(1);
    expect(stdout.includes("PARTNERS_READ_WEBHOOKS to false")).toBe(proposed);
  },
);

it.each<[what: string, body: object, headers: object, expected: RegExp, members: object[]]>([
  [
    "a cursor with a name that nothing explains",
    { meta: { following_cursor: "x" } },
    {},
    /the list does not say how to request page 2\./,
    [{ nextPage: "/meta/following_cursor", pageParameter: "NAME" }],
  ],
  [
    "an address in a member that nothing explains",
    { has_more: true, meta: { following: "/api/v1/partners/webhooks?p=2" } },
    {},
    /the list does not say how to request page 2\./,
    [{ nextPage: "/meta/following" }],
  ],
  [
    "a parameter that the service ignores",
    { next_cursor: "x" },
    {},
    /page 2 of the list shows no new webhook, so the server may ignore the query parameter "cursor"\./,
    [{ nextPage: "/next_cursor", pageParameter: "NAME" }],
  ],
  [
    "an address of another host",
    {},
    { link: '<https://pages.example/webhooks?page=2>; rel="next"' },
    /page 2 of the list has another address than the list, so it was not requested\./,
    [{ complete: true }],
  ],
  [
    "a total alone",
    { total: 57 },
    {},
    /the list may have further pages\./,
    [{ complete: true }, { pageParameter: "NAME" }],
  ],
])(
  "the doctor says why further pages are not read, and which command helps: %s",
  async (_what, rest, headers, reason, proposals) => {
    const body = JSON.stringify({ data: [{ id: 101, state: "active" }], ...rest });
    const url = await serviceOf(200, body, headers);
    const known = JSON.stringify({ webhooks: "/data" });
    const { code, stdout } = await doctor({ ...inEnvironment(url), PARTNERS_RESPONSES: known });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^warning +shape +Found .* Webhooks missing from the list cannot be managed: /m);
    expect(stdout).toMatch(reason);
    for (const members of proposals) {
      const value = JSON.stringify({ webhooks: "/data", ...members });
      expect(stdout).toContain(`\n         PARTNERS_RESPONSES='${value}'\n`);
    }
    const asksForName = stdout.includes("Replace NAME with the query parameter");
    expect(asksForName).toBe(JSON.stringify(proposals).includes("NAME"));
    const inProject = (await doctorIn({ config: inStack(url) })).stdout;
    for (const [name, value] of proposals.flatMap((members) => Object.entries(members)))
      expect(inProject).toContain(
        `\n         pulumi config set --path 'partners:responses.${name}' ${String(value)}\n`,
      );
  },
);

it("the doctor repeats what the service says about a page that it refuses", async () => {
  const first = JSON.stringify({ data: [{ id: 101, state: "active" }], next_cursor: "x" });
  const refusal = JSON.stringify({ message: "Cursor expired" });
  const faults = [
    { kind: "status", status: 200, body: first },
    { kind: "status", status: 400, body: refusal, times: Infinity },
  ] as const;
  const { stdout } = await doctor(inEnvironment((await sandboxFor({ accessToken: TOKEN, faults })).url));
  expect(stdout).toMatch(
    /refused the query parameter "cursor" \(400\)\. The server said: "Cursor expired"\.$/m,
  );
});

it("the doctor warns that readWebhooks is false, and says when the list can be read", async () => {
  const unread = (url: string) => ({ ...inEnvironment(url), PARTNERS_READ_WEBHOOKS: "false" });
  const without = await doctor(unread(await serviceOf(405, "{}")));
  expect([without.code, statuses(without)]).toEqual([0, ["stack ok", "service warning"]]);
  const withList = await doctor(unread((await sandboxFor({ accessToken: TOKEN })).url));
  expect(withList.stdout).toContain("The list can be read: remove PARTNERS_READ_WEBHOOKS.");
  expect((await doctor(unread(await serviceOf(401, "{}")))).code).toBe(1);
});

it("without a project, the doctor checks the environment", async () => {
  const ended = await doctor(inEnvironment((await sandboxFor({ accessToken: TOKEN })).url));
  expect(statuses(ended)).toEqual(["stack ok", "service ok", "shape ok", "webhooks ok"]);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(ended.stdout).toMatch(/^ +101 {2}active {4}not declared {2}"orders"$/m);
  const { code, stdout } = await doctor({});
  expect(stdout).toContain("Set PARTNERS_BASE_URL. Set PARTNERS_ACCESS_TOKEN. Nothing was sent.");
  expect(code).toBe(1);
  const unrecognized = await doctor(inEnvironment(await serviceOf(200, UNRECOGNIZED)));
  expect(unrecognized.stdout).toContain(`PARTNERS_RESPONSES='{"webhooks":"/incoming"}'\n`);
  expect(unrecognized.stdout).not.toContain("pulumi config");
});

it("plain HTTP to another machine is refused with the setting that allows it, and then warned of", async () => {
  const { url } = await sandboxFor({ accessToken: TOKEN });
  const env = inEnvironment(url.replace("127.0.0.1", "0.0.0.0"));
  const refused = await doctor(env);
  expect(refused.stdout).toMatch(
    /^failed +service +.*unencrypted.* PARTNERS_ALLOW_TOKEN_OVER_PLAIN_HTTP to true/m,
  );
  const allowed = await doctor({ ...env, PARTNERS_ALLOW_TOKEN_OVER_PLAIN_HTTP: "true" });
  expect(statuses(allowed)).toEqual(["stack ok", "service warning", "service ok", "shape ok", "webhooks ok"]);
  expect(allowed.code).toBe(0);
});

it("a Node that is too old is reported before any request", async () => {
  const NODE_OPTIONS = `--require ${join(ROOT, "test/support/old-node.cjs")}`;
  const { code, stdout, stderr } = await doctor({ ...inEnvironment(NOWHERE), NODE_OPTIONS });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^pulumi-partners doctor: .*Node 20\.11\.0 is too old.*\n$/);
});

describe("in a project, the doctor", () => {
  it("warns of a plain token and plain headers, and names the keys whose creation or rotation was interrupted", async () => {
    const pending = ["creating", "updating", "deleting"].map((operation) => {
      const type = "partners:index:PartnerApiKey";
      return { type: operation, resource: { urn: `urn:pulumi:dev::shop::${type}::${operation}-it`, type } };
    });
    const config = {
      ...inStack(NOWHERE),
      "partners:accessToken": { value: TOKEN },
      "partners:headers": { value: HEADERS },
    };
    const ended = await doctorIn({ config, pending });
    const checks = ["stack ok", "token warning", "headers warning", "interrupted warning", "service failed"];
    expect(statuses(ended)).toEqual(checks);
    for (const name of ["accessToken", "headers"])
      expect(ended.stdout).toMatch(new RegExp(`^ +pulumi config set --secret partners:${name}$`, "m"));
    expect(ended.stdout).toMatch(
      /changed creating-it, updating-it, [^]*that one\. Then run this, and after it [^]*--clear-pending-creates/,
    );
    expect(ended.code).toBe(1);
  });

  it("fails if the response to a creation was lost, and says how to go on", async () => {
    const type = "partners:index:PartnerApiKey";
    const outputs = { account: "default", lostCreationAt: "2026-06-15T12:00:00.123Z" };
    const resources = [{ urn: `urn:pulumi:dev::shop::${type}::checkout`, type, outputs }];
    const { url } = await sandboxFor({ accessToken: TOKEN });
    const ended = await doctorIn({ config: inStack(url), resources });
    expect(statuses(ended)).toContain("lost failed");
    expect(ended.stdout).toContain("for checkout at 2026-06-15T12:00:00.123Z.");
    expect(ended.stdout).toMatch(/^ +PARTNERS_GONE_KEYS=2026-06-15T12:00:00\.123Z pulumi up$/m);
    expect(ended.code).toBe(1);
  });

  it.each([
    [
      "incorrect passphrase",
      "the passphrase is wrong. Correct PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE.",
    ],
    [
      "passphrase must be set with PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE environment variables",
      "the passphrase is missing. Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE.",
    ],
    [
      "no stack selected; please use `pulumi stack select`",
      'no stack is selected. Run "pulumi stack select", or use --stack.',
    ],
    ["no stack named 'dev' found", 'there is no such stack. To see those that exist, run "pulumi stack ls".'],
    [
      "PULUMI_ACCESS_TOKEN must be set for login during non-interactive CLI sessions",
      'you are not logged in. Run "pulumi login", or set PULUMI_BACKEND_URL or PULUMI_ACCESS_TOKEN.',
    ],
    ...[
      'unable to open state directory "file:///x": stat /x: no such file or directory',
      'read ".pulumi/meta.yaml": blob (code=Unknown): Invalid region',
      'performing HTTP request: Get "https://api.pulumi.com/api/user": no such host',
    ].map((error) => [error, "the backend cannot be reached. Check PULUMI_BACKEND_URL and the network."]),
  ])("says why a stack cannot be read: %s", async (error, reason) => {
    const stderr = `pulumi-partners doctor: The stack cannot be read: ${reason} ${OUTSIDE}\n`;
    expect(await doctorIn({ error: `error: getting stack configuration: ${error}` })).toMatchObject({
      code: 1,
      stderr,
    });
  });

  it("says so if there is no Pulumi CLI", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
    const { code, stderr } = await doctor({ PATH: folder }, folder);
    const reason = "the Pulumi CLI was not found. Install it, or add its folder to PATH.";
    expect(stderr).toBe(`pulumi-partners doctor: The stack cannot be read: ${reason} ${OUTSIDE}\n`);
    expect(code).toBe(1);
  });

  it("names misspelled settings, as a preview does", async () => {
    const { url } = await sandboxFor({ accessToken: TOKEN });
    const config = {
      ...inStack(url),
      "partners:requestTimout": { value: "60" },
      "shop:region": { value: "eu" },
    };
    const provider = {
      urn: "urn:pulumi:dev::shop::pulumi:providers:partners::eu",
      type: "pulumi:providers:partners",
      inputs: { ...configured(url), account: "eu", explicit: "true", maxConnection: "4", version: "0.1.0" },
    };
    const { code, stdout } = await doctorIn({ config, resources: [provider] });
    expect(code).toBe(0);
    const warnings = stdout.match(/^warning .*$/gm);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^warning +settings +"partners:requestTimout" is not a pulumi-partners setting.*Valid/,
      ),
      expect.stringMatching(/^warning +settings +"maxConnection" is not a pulumi-partners setting.*Valid/),
    ]);
    const ownProject = { ...provider, urn: provider.urn.replace("::shop::", "::partners::") };
    expect((await doctorIn({ config, resources: [ownProject] })).stdout).not.toContain("requestTimout");
  });

  it("uses the stack of --stack, and stops if it cannot be read", async () => {
    const { stdout } = await doctorIn({ config: inStack(NOWHERE) }, ["--stack", "prod"]);
    expect(stdout).toMatch(/^ok +stack +prod, account default\.$/m);
    const ended = await doctorIn({ error: `unable to open "postgres://u:${webhookSecret}@127.0.0.1/db"` });
    const reason = 'The stack cannot be read. To see why, run "pulumi stack export > /dev/null".';
    const stderr = `pulumi-partners doctor: ${reason} ${OUTSIDE}\n`;
    expect(ended).toMatchObject({ code: 1, stdout: "", stderr });
  });

  it("fails if a webhook of the stack is missing, and only warns if the list has further pages", async () => {
    const { url } = await sandboxFor({ accessToken: TOKEN });
    const resources = [
      webhookInState("orders", 101),
      webhookInState("lost", 7, "default", { type: "partners:index:PartnerWebhookState" }),
      webhookInState("old", 8, "default", { delete: true }),
    ];
    const { code, stdout } = await doctorIn({ config: inStack(url), resources });
    const expected = "3 on the server, 2 declared in this stack; declared but not in the list: 7.";
    expect(stdout).toContain(`failed   webhooks    ${expected}\n`);
    expect(stdout).toMatch(/^ +7 +missing +lost$/m);
    expect(code).toBe(1);

    const webhook = {
      id: 8,
      active: true,
      name: "Orders",
      url: `https://hooks.example.com/?${webhookSecret}`,
    };
    const paged = await serviceOf(200, JSON.stringify({ webhooks: [webhook], next: "x" }));
    const ended = await doctorIn({ config: inStack(paged), resources });
    expect(ended.stdout).toMatch(/^ +8 {4}active {4}not declared {2}"Orders", hooks\.example\.com$/m);
    expect(statuses(ended).slice(-2)).toEqual(["shape warning", "webhooks warning"]);
    expect(ended.code).toBe(0);
  });
});

it.each<[what: string, status: number | null, body: string, reason: string]>([
  ["rejects the token", 401, JSON.stringify({ error: `invalid token ${TOKEN}` }), "PARTNERS_STATUS"],
  ["reports a failure", 200, `{"success":false,"error":"${TOKEN}"}`, "PARTNERS_UNREADABLE"],
  ["is not running", null, "", "ECONNREFUSED.*PARTNERS_CONNECTION"],
])("a service that %s fails the check without a leak", async (_what, status, body, reason) => {
  const headers = { "x-request-id": TOKEN, "retry-after": "0", link: `<https://x.example/${TOKEN}>` };
  const url = status === null ? NOWHERE : await serviceOf(status, body, headers);
  const ended = await doctor({ ...inEnvironment(url), PARTNERS_DEBUG: "1" });
  expect(statuses(ended).at(-1)).toBe("service failed");
  expect(ended.stdout).toMatch(new RegExp(`^failed +service +.*${reason}\\]$`, "m"));
  expect(ended.code).toBe(1);
});

it.each([
  [
    { id: 7, mode: "go", secret: webhookSecret },
    "Set responses.webhookState.",
    "/mode",
    { webhookState: "POINTER" },
    ["pulumi config set --path 'partners:responses.webhookState' POINTER"],
  ],
  [
    { id: 7, state: TOKEN, [TOKEN]: TOKEN },
    "Set responses.active and responses.disabled.",
    "/state",
    { active: ["WORD"], disabled: ["OTHER_WORD"] },
    [
      "pulumi config set --path 'partners:responses.active[0]' WORD",
      "pulumi config set --path 'partners:responses.disabled[0]' OTHER_WORD",
    ],
  ],
])(
  "a state that is not recognized fails the check with the command to type, without the values of the webhook",
  async (record, set, field, members, commands) => {
    const url = await serviceOf(200, JSON.stringify([record]));
    const ended = await doctor(inEnvironment(url));
    expect(ended.code).toBe(1);
    expect(statuses(ended)).toContain("shape failed");
    expect(ended.stdout).toContain(`${set}\n         Fields of a webhook: /id, ${field}`);
    expect(ended.stdout).toMatch(/^ +7 {2}unknown +not declared$/m);
    expect(ended.stdout).toContain(`\n         PARTNERS_RESPONSES='${JSON.stringify(members)}'\n`);
    const inProject = (await doctorIn({ config: inStack(url) })).stdout;
    for (const command of commands) expect(inProject).toContain(`\n         ${command}\n`);
  },
);

describe("a Provider", () => {
  const providerInState = (type: string, name: string, inputs: object) => ({
    urn: `urn:pulumi:dev::shop::pulumi:providers:${type}::${name}`,
    type: `pulumi:providers:${type}`,
    inputs,
  });
  const signature = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
  const SECRET = { ...signature, plaintext: JSON.stringify(TOKEN) };

  it("of either form is checked with the settings in the state", async () => {
    const sandbox = await sandboxFor({ accessToken: TOKEN });
    const resources = [
      providerInState("pulumi-nodejs", "eu", {
        "partners:explicit": "true",
        "partners:account": "Europe",
        "partners:baseUrl": sandbox.url,
        "partners:accessToken": SECRET,
        "partners:headers": { ...signature, plaintext: JSON.stringify(HEADERS) },
      }),
      providerInState("partners", "us", {
        explicit: "true",
        account: "us",
        baseUrl: await serviceOf(200, UNRECOGNIZED),
        accessToken: SECRET,
      }),
      providerInState("partners", "asia", { explicit: "true", account: "asia" }),
      providerInState("partners", "default_0_1_0", { explicit: "false", account: "default" }),
      providerInState("aws", "aws", {}),
      webhookInState("orders", 101, "Europe"),
    ];
    const { stdout, code } = await doctorIn({ resources });
    expect(stdout).toContain("ok       stack       dev, accounts Europe, us, asia.\n");
    const [, eu = "", us = "", asia = ""] = stdout.split("\n\nProvider ");
    expect(eu).toMatch(/^eu, account Europe\nok +service [^]*^ +101 +active +orders +"orders"$/m);
    expect(us).toContain('         responses: { webhooks: "/incoming" }\n');
    expect(asia).toMatch(/^asia, account asia\nfailed +service +Set the Provider's baseUrl\. /);
    expect([code, sandbox.requests.length]).toEqual([1, 1]);
    expect(sandbox.requests[0]?.headers["x-gateway-key"]).toBe(header);
  });

  it("does not mix its webhooks with those of another account, and no name can control the terminal", async () => {
    const { url } = await sandboxFor({ accessToken: TOKEN });
    const hostile = "a\n::set-output name=x::y\u001b[2J\u009b\u202e";
    const inputs = { "partners:explicit": "true", "partners:account": hostile };
    const resources = [
      webhookInState(hostile, 101),
      providerInState("pulumi-nodejs", hostile, inputs),
      webhookInState("elsewhere", 103, "elsewhere"),
    ];
    const { stdout } = await doctorIn({ config: inStack(url), resources });
    expect(stdout.match(/a\?::set-output name=x::y\?\[2J\?/g)).toHaveLength(4);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(stdout).not.toMatch(/^\s*::/m);
    expect(stdout).toMatch(/^ +103 +\w+ +not declared/m);
  });
});
