import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";

import { ROOT } from "../../../provider/tools/checkout.ts";
import { inheritedEnv, runProcess } from "../../../provider/tools/child-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const SCRIPT = join(ROOT, "examples/stateless-key/replace-key.sh");
const OLD_KEY = "old-key-0123456789abcdef";

const DELETE = "pulumi do partners:PartnerApiKey delete";
const CREATE = "pulumi do partners:PartnerApiKey create";
/** The calls of the script that are the same for each store, and those that are not. */
const ALWAYS = ["mkdir", CREATE, "sed", "tr", "switch-consumers", "cat", DELETE, "rm", "rmdir"];
const STORES = [
  ["github", ["gh", ...ALWAYS]],
  ["aws", ["aws"]],
  ["vault", ["vault"]],
  ["kubernetes", ["kubectl create", "kubectl apply"]],
] as const;

/**
 * Stands for all programs that the script calls. Keys of the service are files in `live`, what the secret
 * store holds is `stored`. The call that starts with FAIL_AT fails before or after its effect; a creation can
 * also lose its response.
 */
const STAND_IN = `#!/usr/bin/env bash
set -euo pipefail
name=\${0##*/} arguments=$*
export PATH=$REAL_PATH
cd "$WORLD"
echo "$name $*" >> calls
fail() { if [[ -n $FAIL_AT && "$name $arguments" == "$FAIL_AT"* && $FAIL_WHEN == "$1" ]]; then exit 1; fi; }
fail before
case "$name $*" in
  "pulumi do partners:PartnerApiKey create --stateless --yes --show-secrets --output json")
    key=new-key-$(wc -l < calls)
    if [ -e same-key ]; then key=$(ls live); fi
    touch "live/$key"
    fail lost
    printf '{\\n  "account": "default",\\n  "apiKey": "%s",\\n  "createdAt": "now"\\n}\\n' "$key" ;;
  "pulumi do partners:PartnerApiKey delete env:OLD_KEY --stateless --yes") rm -f "live/$OLD_KEY" ;;
  "gh secret set NAME") cat > stored ;;
  "aws secretsmanager put-secret-value --secret-id NAME --secret-string file://"*) cat "\${6#file://}" > stored ;;
  "vault kv put -mount=secret NAME key=@"*) cat "\${5#key=@}" > stored ;;
  "kubectl create secret generic NAME --from-file=key="*" --dry-run=client -o yaml") cat "\${5#--from-file=key=}" ;;
  "kubectl apply --server-side -f -") cat > given; test -s given; cp given stored ;;
  "switch-consumers now") cp stored used ;;
  *) "$name" "$@" ;;
esac
fail after
`;

/** A service with one key that the consumers use, a secret store, and the script. */
async function world(store: (typeof STORES)[number][0]) {
  const folder = await temporaryFolder();
  const [bin, live] = [join(folder, "bin"), join(folder, "live")];
  const kept = join(folder, "kept/NAME");
  for (const one of [bin, live]) await mkdir(one);
  await writeFile(join(live, OLD_KEY), "");
  await writeFile(join(folder, "stored"), OLD_KEY);
  await writeFile(join(folder, "used"), OLD_KEY);
  for (const name of [
    "pulumi",
    "gh",
    "aws",
    "vault",
    "kubectl",
    "switch-consumers",
    "mkdir",
    "sed",
    "tr",
    "cat",
    "rm",
    "rmdir",
  ]) {
    await writeFile(join(bin, name), STAND_IN);
    await chmod(join(bin, name), 0o755);
  }
  const read = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");
  return {
    kept,
    /** From now on, the service returns the key that exists. */
    returnSameKey: () => writeFile(join(folder, "same-key"), ""),
    live: () => readdir(live),
    stored: () => read(join(folder, "stored")),
    used: () => read(join(folder, "used")),
    called: () => read(join(folder, "calls")),
    /** All keys that a person could find: in the store, and in the folder of the script. */
    found: async () =>
      (
        await Promise.all([join(folder, "stored"), join(kept, "old"), join(kept, "response.json")].map(read))
      ).join("\n"),
    run: (oldKey = "", failAt = "", failWhen = "") =>
      runProcess(SCRIPT, [store, "NAME", "switch-consumers", "now"], {
        env: {
          ...inheritedEnv(),
          PATH: [bin, process.env["PATH"]].join(delimiter),
          REAL_PATH: process.env["PATH"],
          KEY_FOLDER: join(folder, "kept"),
          WORLD: folder,
          OLD_KEY: oldKey,
          FAIL_AT: failAt,
          FAIL_WHEN: failWhen,
        },
      }),
  };
}

it.each(STORES)(
  "replace-key.sh with %s loses no key, whichever call fails, before or after its effect",
  async (store, calls) => {
    for (const call of calls) {
      for (const when of call === CREATE ? ["after"] : ["before", "after"]) {
        const at = `${call} fails ${when} its effect`;
        const { run, live, stored, used, found, kept, called } = await world(store);
        const failed = await run(OLD_KEY, call, when);
        expect(failed.code, at).not.toBe(0);
        for (const key of await live()) expect(await found(), at).toContain(key);
        expect(await live(), at).toContain(await used());

        // By now, the store may return the new key.
        const again = await run(await stored());
        expect(again, at).toMatchObject({ code: 0 });
        const [key, ...others] = await live();
        expect([others, await stored(), await used()], at).toEqual([[], key, key]);
        expect(key, at).toMatch(/^new-key-/);
        await expect(readdir(kept), at).rejects.toThrow("ENOENT");
        const printed = [await called(), failed.stdout, failed.stderr, again.stdout, again.stderr].join("\n");
        expect(printed, at).not.toMatch(/(new|old)-key-/);
      }
    }
  },
  60_000,
);

it.each([
  ["failed", "before", [OLD_KEY]],
  ["lost its response", "lost", [OLD_KEY, "new-key-2"]],
])(
  "after a creation that %s, replace-key.sh creates no other key until a person has looked",
  async (_what, when, left) => {
    const { run, live, kept, stored, called } = await world("vault");
    expect((await run(OLD_KEY, CREATE, when)).code).not.toBe(0);
    for (let again = 1; again <= 2; again++) {
      const { code, stderr } = await run(OLD_KEY);
      expect([code, stderr]).toEqual([1, expect.stringContaining("Look for a new key at the service")]);
    }
    expect([(await live()).sort(), await stored(), (await called()).match(/ create /g)?.length]).toEqual([
      left.sort(),
      OLD_KEY,
      1,
    ]);
    expect(await readFile(join(kept, "old"), "utf8")).toBe(OLD_KEY);
    expect((await stat(kept)).mode & 0o777).toBe(0o700);
  },
);

it("if the service returns the old key again, replace-key.sh says so, stores nothing and deletes nothing", async () => {
  const { run, live, stored, used, called, returnSameKey } = await world("github");
  await returnSameKey();
  for (let again = 1; again <= 2; again++) {
    const { code, stdout, stderr } = await run(OLD_KEY);
    expect([code, stderr]).toEqual([1, expect.stringContaining("returned the old key again")]);
    expect(stdout + stderr).not.toContain(OLD_KEY);
  }
  expect([await live(), await stored(), await used()]).toEqual([[OLD_KEY], OLD_KEY, OLD_KEY]);
  expect(await called()).not.toMatch(/^gh |^switch-consumers| delete /m);
});

it("of two runs of replace-key.sh at the same time, one creates a key", async () => {
  const { run, called } = await world("github");
  await Promise.all([run(OLD_KEY), run(OLD_KEY)]);
  expect((await called()).match(/ create /g)).toHaveLength(1);
});

it("replace-key.sh without an old key deletes nothing, and without a store or a command creates nothing", async () => {
  const { run, live, called } = await world("github");
  expect(await run()).toMatchObject({ code: 0 });
  expect((await live()).length).toBe(2);
  const before = await called();
  for (const args of [["gitlab", "NAME", "true"], ["github", "NAME"], ["github"]])
    expect((await runProcess(SCRIPT, args)).code, args.join(" ")).not.toBe(0);
  expect(await called()).toBe(before);
});
