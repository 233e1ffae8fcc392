import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import { mustRunShell } from "../../provider/tools/child-process.ts";
import { blocksOf } from "./support.ts";

/** Commands that configure something. This test runs them all in order. */
const SETTING = /^(pulumi config set|export|printf .*\| pulumi config set) /;
/** Commands that other tests run, or that need a real service. */
const RUN_ELSEWHERE =
  /^(PARTNERS_GONE_KEYS=\S+ )?(npm|npx --no pulumi-partners|pulumi (up|preview|refresh|destroy|import|cancel|plugin|stack|package)|rm|cd|read|replace-key\.sh) /;

/** The pages that command-line.test.ts and readme.test.ts run from top to bottom. */
const RUN_AS_A_WHOLE = ["command-line.md", "get-started.md"];

it("the CLI accepts every configuration command in the docs", async () => {
  const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".md") && !RUN_AS_A_WHOLE.includes(file),
  );
  const blocks = await Promise.all(pages.map((page) => blocksOf(`docs/${page}`, "sh")));
  const lines = blocks
    .flat()
    .flatMap((block) => block.split("\n").filter((line) => line !== "" && !line.startsWith("#")));
  const settings = lines.filter((line) => SETTING.test(line));
  const unknown = lines.filter((line) => !SETTING.test(line) && !RUN_ELSEWHERE.test(`${line} `));
  expect(unknown, "commands that no test runs").toEqual([]);

  const engine = await engineEnv({ CHECKOUT_KEY: "pk_live_of_nobody" });
  onTestFinished(() => engine.dispose());
  await writeFile(join(engine.dir, "Pulumi.yaml"), "name: configured\nruntime: nodejs\n");
  await writeFile(join(engine.dir, "token.txt"), "demo-token\n");
  const show = [
    "pulumi config --json --show-secrets",
    `printf '\\n%s' "$PARTNERS_ACCESS_TOKEN $PARTNERS_RESPONSES"`,
  ];
  const script = ["pulumi stack init dev", ...settings, ...show].join("\n");
  const stdout = await mustRunShell(script, { cwd: engine.dir, env: engine.env });
  const [, config = "", responses = ""] = /^(\{.*^\})\n+demo-token (.*)$/ms.exec(stdout) ?? [];
  expect(JSON.parse(config)).toMatchObject({
    "partners:accessToken": { value: "demo-token", secret: true },
    "partners:baseUrl": { value: "https://partners.example.com" },
    // Both samples of docs/responses.md, the last page about it, set the same.
    "partners:responses": { objectValue: JSON.parse(responses) as object },
  });
});
