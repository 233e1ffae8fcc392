import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { startComments } from "../../support/pipeline.ts";
import { inheritedEnv, runProcess } from "../../support/process.ts";

const COMMENT = join(import.meta.dirname, "../../../examples/pipeline/ci/comment.ts");

/** The comment for the last of some previews of the same pull request; there is no other of ours. */
async function commentOn(...previews: string[]): Promise<string> {
  const comments = await startComments(["of a person"]);
  const cwd = await mkdtemp(join(tmpdir(), "comment-"));
  onTestFinished(async () => {
    comments.close();
    await rm(cwd, { recursive: true });
  });
  const env = {
    ...inheritedEnv(),
    GITHUB_ACTIONS: "true",
    GITHUB_API_URL: comments.url,
    GITHUB_REPOSITORY: "team/stack",
    GITHUB_TOKEN: "gh-token",
    PULL_REQUEST: "7",
    PULUMI_STACK: "production",
  };
  for (const preview of previews) {
    await writeFile(join(cwd, "preview.log"), preview);
    const { code, stderr } = await runProcess(process.execPath, [COMMENT], { cwd, env });
    expect(stderr + String(code)).toBe("0");
  }
  expect(comments.texts).toEqual(["of a person", expect.any(String)]);
  return comments.texts[1] ?? "";
}

it("shows the start and the summary of a long preview, and says how much is left out", async () => {
  const text = await commentOn(`First line\n${"x".repeat(100_000)}\nResources:\n    + 4 to create\n`);
  expect(text).toContain("First line");
  expect(text).toContain("+ 4 to create");
  expect(text).toContain("[… 40041 characters left out: see the log of the job …]");
  expect(text.length).toBeLessThan(65_536);
});

it("is replaced by that for the next preview", async () => {
  const text = await commentOn("first", "second");
  expect(text).toContain("second");
  expect(text).not.toContain("first");
});

it("shows a preview in a block that nothing in it can end", async () => {
  const text = await commentOn(" + name ~~~~~~\n~~~~~\n<b>");
  expect(text).toMatch(/\n~{7}text\n \+ name ~~~~~~\n~~~~~\n<b>\n~{7}\n$/);
});
