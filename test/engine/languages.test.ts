import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import schema from "../../provider/schema.json" with { type: "json" };
import { runShell } from "../../provider/tools/child-process.ts";
import { readFolder } from "../support/canary.ts";
import { LONG } from "../support/random.ts";
import { countRequests, environmentFor, exampleProject, sandboxFor, statesOf, WEBHOOKS } from "./support.ts";

/** The commands that each language needs. Its SDK and dependencies are downloaded and compiled first. */
const LANGUAGES = { python: ["python3"], go: ["go"], java: ["javac", "mvn"] };

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
    await pulumi("install");
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
    (id) => `\n\t\tctx.Export("has${id}", partners.PartnerWebhookStateExists(ctx, pulumi.ID("${id}"), nil))`,
  );
  const text = await readFile(program, "utf8");
  await writeFile(program, text.replace(/(?=\n\t\treturn nil\n\t\}\))/, question.join("")));
  return true;
}
