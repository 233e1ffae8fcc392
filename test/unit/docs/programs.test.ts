import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { ROOT } from "../../../provider/tools/checkout.ts";
import { mustRun } from "../../../provider/tools/child-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { FILES, page } from "./pages.ts";

/** Declarations for blocks that are not complete programs. */
const DECLARATIONS = {
  partners: 'import * as partners from "pulumi-partners";',
  pulumi: 'import * as pulumi from "@pulumi/pulumi";',
  startSandbox: 'import { startSandbox } from "pulumi-partners/sandbox";',
  eu: "declare const eu: partners.Provider;",
  baseUrl: "declare const baseUrl: string;",
  config: "const config = new pulumi.Config();",
  key: 'const key = new partners.PartnerApiKey("key");',
  checkout: 'const checkout = new partners.PartnerApiKey("checkout");',
  // Third-party packages that are not installed here.
  aws: "declare const aws: any;",
  kubernetes: "declare const kubernetes: any;",
};

const examples = FILES.filter((file) => /^examples\/.*\.ts$/.test(file)).map((file) => linesOf(page(file)));

function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trim());
}

/** Whether one example contains all lines of a block. */
function isFromExample(block: string): boolean {
  return examples.some((example) => linesOf(block).every((line) => example.includes(line)));
}

/** Milliseconds after which the compiler hangs, even on a busy machine. */
const HANGS = 600_000;

it("every program in the docs is part of an example or compiles", { timeout: HANGS }, async () => {
  const blocks = FILES.filter((file) => /^(README|docs\/.*)\.md$/.test(file)).flatMap((file) =>
    [...page(file).matchAll(/^ *```ts\n(.*?)^ *```$/gms)].map(([, block = ""]) => ({ file, block })),
  );
  expect(blocks.length).toBeGreaterThan(10);
  const cwd = await temporaryFolder();
  await symlink(join(ROOT, "node_modules"), join(cwd, "node_modules"));
  const programs: string[] = [];
  for (const { file, block } of blocks.filter(({ block }) => !isFromExample(block))) {
    const missing = Object.entries(DECLARATIONS).filter(
      ([name]) => !new RegExp(`\\b(as|const|import \\{) ${name}\\b`).test(block),
    );
    const program = [...missing.map(([, declaration]) => declaration), block, "export {};"].join("\n");
    programs.push(`${file.replaceAll("/", "-")}-${programs.length}.ts`);
    await writeFile(join(cwd, programs.at(-1) ?? ""), program);
  }
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const flags = "--noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler";
  await mustRun(process.execPath, [tsc, ...flags.split(" "), ...programs], { cwd, timeoutMs: HANGS });
});

it.each(["README.md", "docs/get-started.md", "docs/keys.md", "docs/webhooks.md", "docs/accounts.md"])(
  "every program in %s is in Python as well",
  (file) => {
    const folded = /^```ts\n[^`]*^```\n\n<details><summary>Python<\/summary>\n\n```python$/gm;
    // A policy pack is not part of a program, and it checks programs in every language.
    const programs = /^```ts\n(?!import .* from "@pulumi\/policy";$)/gm;
    expect(page(file).match(folded)).toHaveLength(page(file).match(programs)?.length ?? NaN);
  },
);
