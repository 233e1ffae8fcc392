import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";

import { writeNewFiles } from "../../../provider/src/cli/adopt/files.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partners-adopt-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

const file = (name: string, isPrivate = false) => ({ path: join(folder, name), text: "new", isPrivate });
const read = (name: string) => readFile(join(folder, name), "utf8");
const modeOf = async (name: string) => (await stat(join(folder, name))).mode & 0o777;

it("a file that exists is kept, and then no other is written either", async () => {
  await writeFile(join(folder, "b"), "old");
  await expect(writeNewFiles([file("a"), file("b")], false)).rejects.toThrow(/b exists already.*--force/);
  expect(await readdir(folder)).toEqual(["b"]);
  expect(await read("b")).toBe("old");
});

it("a private file is nobody else's, also in place of one that all could read", async () => {
  await writeFile(join(folder, "a"), "old");
  await chmod(join(folder, "a"), 0o644);
  await writeNewFiles([file("a", true), file("b")], true);
  expect([await modeOf("a"), await read("a"), await read("b")]).toEqual([0o600, "new", "new"]);
});

it.each([true, false])("what is no file is never replaced (force: %s)", async (force) => {
  await mkdir(join(folder, "a"));
  await writeFile(join(folder, "target"), "old");
  await symlink(join(folder, "target"), join(folder, "b"));
  for (const name of ["a", "b"])
    await expect(writeNewFiles([file(name)], force)).rejects.toThrow("is no plain file");
  expect(await read("target")).toBe("old");
});

it("a folder that is missing is named, without a stack trace", async () => {
  await expect(writeNewFiles([file("missing/a")], false)).rejects.toThrow(
    /missing.a cannot be written \(ENOENT\)/,
  );
});

it.each([true, false])(
  "if one cannot be written, none is, and what was there is kept (force: %s)",
  async (force) => {
    if (force) await writeFile(join(folder, "a"), "old");
    await expect(writeNewFiles([file("a", true), file("missing/b")], force)).rejects.toThrow(
      /missing.b cannot be written/,
    );
    expect(await readdir(folder)).toEqual(force ? ["a"] : []);
    if (force) expect(await read("a")).toBe("old");
  },
);

it("two names of one file are noticed before anything is lost", async () => {
  await expect(writeNewFiles([file("a", true), file("a")], false)).rejects.toThrow("a exists already");
  expect(await readdir(folder)).toEqual([]);
});

it("nothing else than the files is left", async () => {
  await writeNewFiles([file("a", true), file("b")], false);
  expect((await readdir(folder)).sort()).toEqual(["a", "b"]);
  expect(await modeOf("a")).toBe(0o600);
});
