import { createHash } from "node:crypto";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { cacheRoot, fill } from "../../provider/tools/build-cache.ts";
import { ROOT } from "../../provider/tools/checkout.ts";
import { isExecutable, mustRun } from "../../provider/tools/child-process.ts";
import { LONG } from "../support/random.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { blocksOf } from "./support.ts";

/** Pulumi's packages for the stores. They are too large to be dependencies of this repository. */
const PACKAGES = ["@pulumi/aws@7.48.0", "@pulumi/kubernetes@4.34.2", "@pulumi/vault@7.8.0"];
const HASH = createHash("sha256").update(PACKAGES.join()).digest("hex").slice(0, 12);
const INSTALLED = join(cacheRoot(), `stores-${HASH}`);
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

const KEY = "pk_live_of_nobody";
const LIMIT = { timeout: 600_000 }; // Includes the installation.

/** Prints what the engine would get, with the SDK's own marks of secrets. */
const program = (sample: string): string => `
import * as pulumi from "@pulumi/pulumi";
import * as aws from "@pulumi/aws";
import * as kubernetes from "@pulumi/kubernetes";
import * as vault from "@pulumi/vault";

const key = { apiKey: pulumi.secret("${KEY}") };
async function main(): Promise<void> {
  await pulumi.runtime.setMocks({
    newResource({ type, inputs, id }) {
      console.log(JSON.stringify([type, inputs]));
      return { id: id ?? "id", state: inputs as object };
    },
    call: () => ({}),
  });
  ${sample}
}
void main();
`;

it.runIf(LONG)(
  "the samples for the stores pass the key as a secret to Pulumi's own packages",
  LIMIT,
  async () => {
    if (!(await isExecutable(INSTALLED)))
      await fill(INSTALLED, async (cwd) => {
        await writeFile(join(cwd, "package.json"), "{}");
        const flags = ["--ignore-scripts", "--no-audit", "--no-fund"];
        await mustRun("npm", ["install", ...flags, ...PACKAGES], { cwd, timeoutMs: LIMIT.timeout });
      });
    const blocks = await blocksOf("docs/keys.md", "ts");
    const samples = blocks.filter((block) => block.includes("new vault."));
    expect(samples).toHaveLength(1);

    const cwd = await temporaryFolder();
    await symlink(join(INSTALLED, "node_modules"), join(cwd, "node_modules"));
    await writeFile(join(cwd, "package.json"), "{}");
    await writeFile(join(cwd, "program.ts"), program(samples.join("")));
    const types = `--types node --typeRoots ${join(ROOT, "node_modules/@types")}`;
    const flags = `--strict --skipLibCheck --target es2022 --module nodenext ${types} program.ts`;
    await mustRun(process.execPath, [TSC, ...flags.split(" ")], { cwd });
    const printed = await mustRun(process.execPath, ["program.js"], { cwd });

    // The mark is the SDK's: a secret is an object with this signature.
    const secret = (value: unknown) => ({
      "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
      value,
    });
    const lines = printed.trim().split("\n");
    const registered = Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, unknown]));
    expect(registered).toMatchObject({
      "aws:secretsmanager/secretVersion:SecretVersion": { secretString: secret(KEY) },
      "kubernetes:core/v1:Secret": { stringData: secret({ PARTNER_API_KEY: KEY }) },
      "vault:kv/secretV2:SecretV2": { dataJson: secret(JSON.stringify({ key: KEY })) },
    });
  },
);
