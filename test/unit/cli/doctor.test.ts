import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterEach, expect, it, vi } from "vitest";

import type { ResponseMapping } from "../../../provider/src/bodies/response-mapping.ts";
import { doctorCommand, unreadableConfig } from "../../../provider/src/cli/doctor.ts";
import { CANARIES, findLeaks } from "../../support/canary.ts";
import { replaceAnswers, sandboxFor } from "../../support/sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const { token: TOKEN, header: HEADER } = CANARIES;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Starts a service that accepts the token. @param body Its list, instead of its webhooks. */
async function serviceWith(body?: unknown) {
  const api = await sandboxFor(undefined, TOKEN);
  if (body !== undefined) replaceAnswers(api, "listWebhooks", () => ({ body }));
  return api;
}

/** Runs the doctor, by default outside of a project. Its output must contain no canary. */
async function doctor(env: Readonly<Record<string, string>>, options: { cwd?: string; stack?: string } = {}) {
  const cwd = options.cwd ?? (await temporaryFolder());
  for (const name of ["BASE_URL", "ACCESS_TOKEN", "HEADERS", "RESPONSES"])
    vi.stubEnv(`PARTNERS_${name}`, undefined);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  let stdout = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    stdout += stripVTControlCharacters(String(text));
    return true;
  });
  const exitCode = await doctorCommand.run({ ...options, cwd });
  vi.restoreAllMocks();
  expect(findLeaks({ stdout }, CANARIES)).toEqual([]);
  return { exitCode, stdout };
}

/** The settings as environment variables. */
const inEnvironment = (url: string, responses = "") => ({
  PARTNERS_BASE_URL: url,
  PARTNERS_ACCESS_TOKEN: TOKEN,
  PARTNERS_HEADERS: JSON.stringify({ "X-Gateway-Key": HEADER }),
  PARTNERS_RESPONSES: responses,
});

/** Creates a project, and a script instead of the Pulumi CLI. @returns How to run the doctor there. */
async function projectWith(config: object, name = "shop") {
  const cwd = await temporaryFolder();
  const files = {
    "Pulumi.yaml": `name: ${name}\nruntime: nodejs\n`,
    "config.json": JSON.stringify(config),
    "partners:accessToken": `${TOKEN}\n`,
    "partners:headers": JSON.stringify({ "X-Gateway-Key": HEADER }),
    pulumi: `#!/bin/sh
echo "$*" >> '${cwd}/calls'
case "$*" in
  "config --json "*) cat '${cwd}/config.json' ;;
  "config get "*) cat "${cwd}/$3" ;;
  *) exit 1 ;;
esac
`,
  };
  for (const [file, text] of Object.entries(files)) await writeFile(join(cwd, file), text);
  await chmod(join(cwd, "pulumi"), 0o755);
  const env = { PATH: [cwd, process.env["PATH"]].join(delimiter) };
  return { cwd, env, calls: async () => (await readFile(join(cwd, "calls"), "utf8")).trim().split("\n") };
}

it("the doctor says where each setting is from and what was recognized, with one request", async () => {
  const api = await serviceWith();
  const { exitCode, stdout } = await doctor(inEnvironment(api.url));
  expect(stdout).toBe(`\
ok       settings    PARTNERS_BASE_URL, PARTNERS_ACCESS_TOKEN, PARTNERS_HEADERS.
ok       service     GET ${api.url}/api/v1/partners/webhooks: the access token is accepted.
ok       list        Found webhooks at "", webhookId at "/webhookId", webhookState at "/state".
ok       webhooks    3 listed.
         101  active
         102  active
         103  disabled
`);
  expect([exitCode, api.requests]).toEqual([0, ["GET /webhooks"]]);
});

it("the doctor decrypts the settings of this provider, and no other secret of the stack", async () => {
  const { url } = await serviceWith();
  const { cwd, env, calls } = await projectWith({
    "partners:baseUrl": { value: url, secret: false },
    "partners:accessToken": { secret: true },
    "partners:headers": { secret: true },
    "shop:databasePassword": { secret: true },
  });
  const { exitCode, stdout } = await doctor(env, { cwd, stack: "dev" });
  expect(stdout).toMatch(/^ok +settings +partners:baseUrl, partners:accessToken, partners:headers\.$/m);
  const got = ["--json", "get partners:accessToken", "get partners:headers"];
  const commands = got.map((what) => `config ${what} --non-interactive --cwd ${cwd} --stack dev`);
  expect([exitCode, await calls()]).toEqual([0, commands]);
});

it("the doctor warns about plain secrets and unknown settings, except in a project of this name", async () => {
  const { url } = await serviceWith();
  const plainToken = { "partners:accessToken": { value: TOKEN, secret: false } };
  const config = { "partners:baseUrl": { value: url }, ...plainToken, "partners:rotate": { value: "1" } };
  const warningsIn = async (name: string) => {
    const { cwd, env } = await projectWith(config, name);
    const { exitCode, stdout } = await doctor(env, { cwd });
    expect(exitCode).toBe(0);
    return [...stdout.matchAll(/^warning +settings +(.*)$/gm)].map(([, text]) => text);
  };
  const plain = expect.stringContaining("partners:accessToken is stored in plain text.") as string;
  const unknown = expect.stringContaining('"partners:rotate" is not a pulumi-partners') as string;
  expect([await warningsIn("shop"), await warningsIn("partners")]).toEqual([[plain, unknown], [plain]]);
});

const OBJECT_STATES = ["Live", "Parked"].map((name, i) => ({ id: 7 + i, status: { id: i, name } }));

const REFS = [3, 4].map((ref) => ({ ref, no: ref - 2, active: true }));
const TWO_LISTS = { incoming: [{ id: 1, active: true }], outgoing: [{ id: 2, active: false }] };

// Each body, what to choose of each proposal until nothing is left to say, and the last table.
it.each<[what: string, body: unknown, choices: Partial<ResponseMapping>[], table: string[]]>([
  ["two lists", TWO_LISTS, [{ webhooks: "/outgoing" }, { complete: true }], ["2  disabled"]],
  ["two IDs under unusual names", REFS, [{ webhookId: "/ref" }], ["3  active", "4  active"]],
  [
    "states that are objects",
    OBJECT_STATES,
    [{ webhookState: "/status/name", active: ["Live"], disabled: ["Parked"] }],
    ["7  active", "8  disabled"],
  ],
])("what the doctor proposes leads to a list that it reads: %s", async (_what, body, choices, table) => {
  const { url } = await serviceWith(body);
  let responses: ResponseMapping = {};
  for (const choice of choices) {
    const before = await doctor(inEnvironment(url, JSON.stringify(responses)));
    expect(before.stdout).toMatch(/^(?:failed|warning) .*et PARTNERS_RESPONSES to '\{.*\}'/m);
    for (const value of Object.values(choice).flat()) expect(before.stdout).toContain(JSON.stringify(value));
    responses = { ...responses, ...choice };
  }
  const { exitCode, stdout } = await doctor(inEnvironment(url, JSON.stringify(responses)));
  expect([exitCode, stdout]).toEqual([0, expect.not.stringMatching(/^(?:failed|warning) /m)]);
  expect(stdout.split("\n").slice(4, -1)).toEqual(table.map((row) => `         ${row}`));
});

it("a finding ends with the command, and the table says which states are unknown", async () => {
  const { url } = await serviceWith({ data: OBJECT_STATES, has_more: true });
  const { exitCode, stdout } = await doctor(inEnvironment(url));
  expect(exitCode).toBe(1);
  expect(stdout.split("\n").slice(2).join("\n")).toBe(`\
ok       list        Found webhooks at "/data", webhookId at "/id".
warning  list        Drift is not detected for webhooks that are missing from the list: /has_more indicates \
more webhooks. If the list is complete, set PARTNERS_RESPONSES to '{"complete":true}'.
failed   webhooks    The list does not show the state of webhooks 7, 8, so drift is not detected. \
Set PARTNERS_RESPONSES to '{"webhookState":"POINTER"}' (replace POINTER with "/status/id" or "/status/name", \
whichever is right), and list its values in the same way, \
starting at active[0] in PARTNERS_RESPONSES and disabled[0] in PARTNERS_RESPONSES. \
Values seen: /status/id: 0, 1; /status/name: "Live", "Parked".
         7  unknown
         8  unknown
`);
});

it("a state that the list does not show, and that no setting can find, is only a warning", async () => {
  const { url } = await serviceWith([{ id: 7 }, { id: 8 }]);
  const { exitCode, stdout } = await doctor(inEnvironment(url));
  expect(stdout).toMatch(/^warning +webhooks +The list does not show the state of webhooks 7, 8, so drift/m);
  expect([exitCode, stdout]).toEqual([0, expect.not.stringContaining("failed ")]);
});

it("the commands are for the stack and the folder that were checked", async () => {
  const { url } = await serviceWith(OBJECT_STATES);
  const config = { "partners:baseUrl": { value: url }, "partners:accessToken": { value: TOKEN } };
  const project = await projectWith(config);
  const cwd = join(project.cwd, "$& it's");
  await mkdir(cwd);
  const { stdout } = await doctor(project.env, { stack: "prod", cwd });
  const commands = stdout.match(/(?<=un ")pulumi [^"]*/g);
  const set = `pulumi config set --stack prod --cwd '${cwd.replace("'", "'\\''")}'`;
  expect(commands).toEqual([
    `${set} --secret partners:accessToken`,
    `${set} --path partners:responses.webhookState POINTER`,
  ]);
});

it.each([
  [
    { body: "not JSON" },
    /^failed +list +The .* is not JSON\. Check PARTNERS_BASE_URL\. \[PARTNERS_UNREADABLE\]$/m,
  ],
  [{ status: 403, body: "{}" }, /^failed +service .*returned 403.*\[PARTNERS_STATUS\]$/m],
])("the doctor fails after %j", async (answer, finding) => {
  const api = await serviceWith();
  replaceAnswers(api, "listWebhooks", () => answer);
  const { exitCode, stdout } = await doctor(inEnvironment(api.url));
  expect([exitCode, stdout]).toEqual([1, expect.stringMatching(finding)]);
});

it("the doctor names all settings that are missing, and what is wrong with the command line", async () => {
  const { exitCode, stdout } = await doctor({});
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^failed +settings .*partners:baseUrl.*partners:accessToken.*CONFIGURATION\]$/m);
  await expect(doctor({}, { stack: "dev" })).rejects.toThrow("--stack needs a Pulumi project");
  const { cwd } = await projectWith({});
  await expect(doctor({ PATH: "" }, { cwd })).rejects.toThrow("The stack configuration cannot be read.");
});

it.each<[NodeJS.Platform, folder: string, nowhere: string]>([
  ["linux", "'it'\\''s'", "/dev/null"],
  ["win32", "'it''s'", "$null"],
])("the doctor's commands are for the shell of %s", (platform, folder, nowhere) => {
  expect(unreadableConfig(["--cwd", "it's"], platform)).toBe(
    "The stack configuration cannot be read. " +
      `If there is no stack yet, run "pulumi stack init --cwd ${folder}". ` +
      `Otherwise, to see why, run "pulumi config --show-secrets --cwd ${folder} > ${nowhere}".`,
  );
});
