import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import schema from "../../provider/schema.json" with { type: "json" };
import { ROOT } from "../../provider/tools/checkout.ts";
import { runShell } from "../../provider/tools/child-process.ts";
import { readFolder } from "../support/canary.ts";
import { LONG } from "../support/random.ts";
import {
  blocksOf,
  countRequests,
  environmentFor,
  exampleProject,
  sandboxFor,
  statesOf,
  WEBHOOKS,
} from "./support.ts";

/** The commands that each language needs. Its SDK and dependencies are downloaded and compiled first. */
const LANGUAGES = { python: ["python3"], go: ["go"], java: ["javac", "mvn"] };

/** Runs the examples of the schema and the samples of the guides with the mocks of the Python example. */
const RUN_EXAMPLES = `venv/bin/python -c '
import glob, runpy, pulumi, test_program
config = {"euBaseUrl": "https://eu.example.com", "euAccessToken": "token", "ordersWebhook": "101"}
pulumi.runtime.set_all_config({f"project:{name}": value for name, value in config.items()})
for path in glob.glob("example*.py"): runpy.run_path(path)'`;

/** What the samples of the guides use, but do not declare. */
const PRELUDE = `from unittest.mock import MagicMock
import pulumi
import pulumi_partners as partners
aws = kubernetes = MagicMock()  # Third-party packages that are not installed here.
base_url, config = "https://eu.example.com", pulumi.Config()
checkout = partners.PartnerApiKey("prelude")
`;

it.for(Object.entries(LANGUAGES))(
  "examples/%s runs from package add to destroy",
  { timeout: 900_000 },
  async ([language, commands], { skip }) => {
    if (!LONG) return skip("npm run test:long runs this test.");
    const { code } = await runShell(`type ${commands.join(" ")}`, {});
    if (code !== 0) return skip(`Not on PATH: ${commands.join(" or ")}.`);
    const api = await sandboxFor();
    const env = { ...environmentFor(api), PULUMI_IGNORE_AMBIENT_PLUGINS: "" }; // Finds the host for Java.
    const { engine, cwd, pulumi, shell } = await exampleProject(language, env);
    await pulumi(`package add partners@${schema.version}`);
    const hasExists = language === "go" && (await addExists(cwd));
    await addSchemaExamples(language, cwd);
    if (language === "python") await addSamples(cwd);
    await pulumi("install");
    // The compiler for Java checks them with the program.
    const check = { go: "go vet ./... && go test", python: RUN_EXAMPLES }[language] ?? "true";
    expect(await shell(check)).toMatchObject({ code: 0 });
    await pulumi("stack init dev");
    await pulumi("up --yes --skip-preview");
    const [apiKey = "no key"] = api.keys;
    const outputs = JSON.parse(
      (await pulumi("stack output --json --show-secrets"))
        .replace("api_key", "apiKey")
        .replace("orders_state", "ordersState"),
    ) as object;
    const found = hasExists ? { has102: true, has999: false } : {};
    expect(outputs).toEqual({ apiKey, ordersState: "active", undeclared: [102], ...found });
    const stateFile = `.pulumi/stacks/partners-${language}/dev.json`;
    expect(await readFile(join(engine.backendDir, stateFile), "utf8")).not.toContain(apiKey);
    await pulumi("preview --expect-no-changes");
    if (language === "python") expect(await shell("venv/bin/python -m unittest")).toMatchObject({ code: 0 });
    countRequests(api);
    await pulumi("destroy --yes --skip-preview");
    expect(countRequests(api)).toMatchObject({ DELETE: 1 });
    expect([api.keys.size, statesOf(api)]).toEqual([0, WEBHOOKS]);
  },
);

/** Adds the examples of the schema, each in a folder of its own, to what the compiler of a project checks. */
async function addSchemaExamples(language: string, project: string): Promise<void> {
  const described = [schema.provider, ...Object.values(schema.resources), ...Object.values(schema.functions)];
  for (const [index, { description }] of described.entries()) {
    const [, program = ""] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(description) ?? [];
    const name = `example${index}`;
    const path = { go: `${name}/main.go`, java: `src/main/java/${name}/App.java` }[language] ?? `${name}.py`;
    const text = language === "java" ? `package ${name};\n${program}` : program;
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  }
}

/** Adds the samples of the guides in Python. */
async function addSamples(project: string): Promise<void> {
  const guides = (await readdir(join(ROOT, "docs"))).filter((file) => file.endsWith(".md"));
  const pages = ["README.md", ...guides.map((file) => `docs/${file}`)];
  const found = pages.flatMap((page) => ["", "   "].map((indent) => blocksOf(page, "python", indent)));
  const samples = (await Promise.all(found)).flat();
  expect(samples.length).toBeGreaterThan(10);
  for (const [index, sample] of samples.entries())
    await writeFile(join(project, `example-sample${index}.py`), PRELUDE + sample);
}

/**
 * Lets a program ask whether a webhook exists that does, and one that does not.
 *
 * @returns Whether the generated SDK can ask. Pulumi 3.273 is the first that generates it.
 */
async function addExists(folder: string): Promise<boolean> {
  const [program, sdk] = [join(folder, "main.go"), join(folder, "sdks/partners")];
  const sources = await readFolder(sdk);
  if (!Object.values(sources).some((text) => text.includes("func PartnerWebhookStateExists("))) return false;
  const question = ["102", "999"].map(
    (id) => `\n\tctx.Export("has${id}", partners.PartnerWebhookStateExists(ctx, pulumi.ID("${id}"), nil))`,
  );
  const text = await readFile(program, "utf8");
  await writeFile(program, text.replace(/(?=\n\treturn nil\n\})/, question.join("")));
  return true;
}
