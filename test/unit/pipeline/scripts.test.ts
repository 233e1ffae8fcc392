import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { inheritedEnv, mustRun, runProcess } from "../../../provider/tools/child-process.ts";
import { renderNotice } from "../../../provider/src/messages/notice-messages.js";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const SCRIPTS = join(import.meta.dirname, "../../../examples/pipeline/ci");

const TOKEN = "token-for-comments";
const OF_A_PERSON = "<!-- pulumi preview of production --> of a person";

/**
 * The variables that name pull request 7 of `team/stack` at GitHub, and merge request 7 of project 5 at
 * GitLab.
 */
const SERVICES = {
  GitHub: { GITHUB_ACTIONS: "true", GITHUB_REPOSITORY: "team/stack", GITHUB_TOKEN: TOKEN, PULL_REQUEST: "7" },
  GitLab: { CI_PROJECT_ID: "5", CI_MERGE_REQUEST_IID: "7", MERGE_REQUEST_TOKEN: TOKEN },
};
const PATHS =
  /^\/(repos\/team\/stack\/issues\/(7\/comments|comments\/\d+)|projects\/5\/merge_requests\/7\/notes(\/\d+)?|user)(\?|$)/;

/**
 * Serves the comments of both. The first comment is of a person, the others of the token's owner. Their IDs
 * are their indexes.
 */
async function startComments() {
  const texts = [OF_A_PERSON];
  const comment = (id: number) => ({
    id,
    body: texts[id],
    user: { login: id === 0 ? "a-person" : "github-actions[bot]" },
    author: { id: id === 0 ? 1 : 2 },
  });
  const server = createServer((request, response) => {
    void (async () => {
      const { method, url = "", headers } = request;
      const tokens = [headers.authorization, headers["private-token"]];
      const isAllowed = tokens.includes(`Bearer ${TOKEN}`) || tokens.includes(TOKEN);
      if (!isAllowed || !PATHS.test(url)) return response.writeHead(404).end();
      const content = (await request.toArray()).join("");
      const id = method === "POST" ? texts.length : Number(/(\d+)$/.exec(url)?.[1]);
      if (method !== "GET") texts[id] = (JSON.parse(content) as { body: string }).body;
      const read = url === "/user" ? { id: 2 } : texts.map((_text, index) => comment(index));
      return response.end(JSON.stringify(method === "GET" ? read : comment(id)));
    })();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, texts };
}

it.each(Object.entries(SERVICES))(
  "comment.ts at %s shows the latest preview in one comment, shortened, in a block that it cannot end",
  async (_service, variables) => {
    const { url, texts } = await startComments();
    const cwd = await temporaryFolder();
    const urls = { GITHUB_API_URL: url, CI_API_V4_URL: url };
    const env = { ...inheritedEnv(), ...urls, ...variables, PULUMI_STACK: "production" };
    const comment = async (preview: string): Promise<string> => {
      await writeFile(join(cwd, "preview.log"), preview);
      await mustRun(process.execPath, [join(SCRIPTS, "comment.ts")], { cwd, env });
      expect(texts).toEqual([OF_A_PERSON, expect.any(String)]);
      return texts[1] ?? "";
    };
    const block = /\n~{7}text\n \+ name ~~~~~~\n~~~~~\n<b>\n~{7}\n$/;
    expect(await comment(" + name ~~~~~~\n~~~~~\n<b>")).toMatch(block);
    const text = await comment(`First line\n${"x".repeat(100_000)}\nResources:\n    + 4 to create\n`);
    expect(text).toMatch(
      /First line[^]*\[… 40041 characters left out: see the log of the job …\][^]*\+ 4 to create/,
    );
    expect(text.length).toBeLessThan(65_536);
    expect(text).not.toContain("name");
  },
);

/**
 * Replaces the CLI. It and its child process print the signals that they receive, and end half a second after
 * the first.
 */
const CLI = `#!/usr/bin/env node
const { spawn } = require("node:child_process");
if (process.argv[2] === "stack") {
  console.log('{ "deployment": null }');
  process.exit();
}
const name = process.argv[2] === "up" ? "cli" : "child";
process.on("SIGINT", () => console.log(name + ": SIGINT"));
if (name === "cli") {
  const child = spawn(process.argv[0], [__filename], { stdio: ["pipe", "inherit", "inherit"] });
  process.once("SIGINT", () => setTimeout(() => child.stdin.end(), 500));
} else {
  process.stdin.resume();
}
`;

it("interrupted.ts fails if the response to a creation was lost, and prints its time for the next run", () => {
  const type = "partners:index:PartnerApiKey";
  const key = (name: string, lostCreationAt: string | null) => ({
    urn: `urn:pulumi:dev::shop::${type}::${name}`,
    type,
    outputs: { lostCreationAt, hint: "9f0e", createdAt: "2026-06-01T10:00:00.000Z" },
  });
  const resources = [key("checkout", "2026-06-15T02:00:00.123Z"), key("billing", null)];
  const manifest = { time: "2026-06-15T02:00:01Z" };
  const interrupted = (kept: readonly object[], ...flags: string[]) => {
    const input = JSON.stringify({ version: 3, deployment: { manifest, resources: kept } });
    const script = join(SCRIPTS, "interrupted.ts");
    return spawnSync(process.execPath, [script, ...flags], { input, encoding: "utf8" });
  };
  const { status, stdout } = interrupted(resources);
  expect(status).toBe(1);
  expect(stdout).toContain("\n  checkout, whose response was lost at 2026-06-15T02:00:00.123Z\n");
  const times = { status: 0, stdout: "2026-06-15T02:00:00.123Z\n" };
  expect(interrupted(resources, "--lost")).toMatchObject(times);
  expect(interrupted(resources.slice(1))).toMatchObject({ status: 0, stdout: "" });
});

// A second SIGINT makes Pulumi end immediately, and a key that is being created is lost.
it("up.sh sends one SIGINT at its time limit, to Pulumi but not to its child processes", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "pulumi"), CLI);
  await chmod(join(cwd, "pulumi"), 0o755);
  const PATH = [cwd, dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const env = { ...inheritedEnv(), PATH, UP_TIME_LIMIT: "3s" };
  await symlink(SCRIPTS, join(cwd, "ci"));
  const { code, stdout } = await runProcess("ci/up.sh", [], { cwd, env, ownGroup: true });
  expect({ code, stdout }).toEqual({ code: 124, stdout: "cli: SIGINT\n" });
}, 30_000);

const UNKNOWN_STATES = renderNotice({ kind: "stateUnknown", webhookIds: [101], setting: "active" }, {});
const NOT_READ = renderNotice({ kind: "listNotRead" }, {});
const NOT_READ_EU = renderNotice({ kind: "listNotRead" }, { account: "eu" });

it.each<[what: string, printed: string[], exit: number, code: number, said: RegExp]>([
  ["nothing", [], 0, 0, /^No drift\.$/],
  ["drift", [], 7, 7, /^DRIFT: /],
  ["a failure", [], 255, 255, /^The drift check FAILED with exit code 255: /],
  ["unknown states", [UNKNOWN_STATES], 0, 1, /^Drift is NOT KNOWN /],
  ["drift next to unknown states", [UNKNOWN_STATES], 7, 7, /^DRIFT: .*\nDrift is NOT KNOWN /],
  ["webhooks that are not read", [NOT_READ, NOT_READ_EU], 0, 0, /^Drift of webhooks is not checked/],
  ["unread webhooks next to unknown states", [NOT_READ, UNKNOWN_STATES], 0, 1, /^Drift is NOT KNOWN /],
])("drift.sh says what is not known: %s", async (_what, printed, exit, code, said) => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "printed"), printed.map((text) => `    warning: ${text}\n`).join(""));
  await writeFile(join(cwd, "pulumi"), `#!/bin/sh\ncat printed >&2\nexit ${exit}\n`);
  await chmod(join(cwd, "pulumi"), 0o755);
  const PATH = [cwd, process.env["PATH"]].join(delimiter);
  const ended = await runProcess(join(SCRIPTS, "drift.sh"), [], { cwd, env: { ...inheritedEnv(), PATH } });
  expect(ended.code).toBe(code);
  expect(ended.stdout.replaceAll(/^ .*\n/gm, "").trim()).toMatch(said);
});
