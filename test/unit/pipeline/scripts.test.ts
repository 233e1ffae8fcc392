import { chmod, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import { COMMENTS_TOKEN, startComments } from "../../support/comments.ts";
import { inheritedEnv, mustRun, runProcess } from "../../../provider/tools/process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const SCRIPTS = join(import.meta.dirname, "../../../examples/pipeline/ci");

describe.each(["GitHub", "GitLab"])("comment.ts at %s", (service) => {
  /** Comments on previews of the same pull or merge request, one after another. @returns Our only comment. */
  async function commentOn(...previews: string[]): Promise<string> {
    const comments = await startComments(["of a person"]);
    onTestFinished(comments.close);
    const cwd = await temporaryFolder();
    const github = {
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: comments.url,
      GITHUB_REPOSITORY: "team/stack",
      GITHUB_TOKEN: COMMENTS_TOKEN,
      PULL_REQUEST: "7",
    };
    const gitlab = {
      CI_API_V4_URL: comments.url,
      CI_PROJECT_ID: "5",
      CI_MERGE_REQUEST_IID: "7",
      MERGE_REQUEST_TOKEN: COMMENTS_TOKEN,
    };
    const variables = service === "GitHub" ? github : gitlab;
    const env = { ...inheritedEnv(), ...variables, PULUMI_STACK: "production" };
    for (const preview of previews) {
      await writeFile(join(cwd, "preview.log"), preview);
      await mustRun(process.execPath, [join(SCRIPTS, "comment.ts")], { cwd, env });
    }
    expect(comments.texts).toEqual(["of a person", expect.any(String)]);
    return comments.texts[1] ?? "";
  }

  it("shortens a long preview to its start and its summary, and replaces the comment on an earlier preview", async () => {
    const long = `First line\n${"x".repeat(100_000)}\nResources:\n    + 4 to create\n`;
    const text = await commentOn("earlier preview", long);
    expect(text).toContain("First line");
    expect(text).toContain("+ 4 to create");
    expect(text).toContain("[… 40041 characters left out: see the log of the job …]");
    expect(text.length).toBeLessThan(65_536);
    expect(text).not.toContain("earlier");
  });

  it("shows a preview in a block that the preview cannot end", async () => {
    const text = await commentOn(" + name ~~~~~~\n~~~~~\n<b>");
    expect(text).toMatch(/\n~{7}text\n \+ name ~~~~~~\n~~~~~\n<b>\n~{7}\n$/);
  });
});

/** Replaces the CLI. It and its child process print the signals that they receive, and end half a second after the first. */
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
