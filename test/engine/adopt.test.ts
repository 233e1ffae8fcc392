import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Shape } from "../support/sandbox.ts";
import { expect, it } from "vitest";

import { exampleProject } from "./example-project.ts";

const KEY = "pk_live_existing_key_0001";
const IMPORT = "pulumi import --generate-code=false --protect=false --file";

/** Of webhook 103 the state is no word we know, of 104 its fields disagree. */
const SHAPE: Shape = {
  apiKey: ({ key }) => ({ apiKey: key }),
  webhooks: (list) =>
    list.map(({ webhookId, state }) => {
      const enabled = state === "active";
      if (webhookId === 103) return { webhookId, state: "paused" };
      return { webhookId, state, enabled: webhookId === 104 ? !enabled : enabled };
    }),
};

/** What the engine keeps of a resource, apart from what differs between any two. */
function kept(resources: readonly Record<string, unknown>[], name: string) {
  const { inputs, outputs, id } = resources.find(({ urn }) => String(urn).endsWith(`::${name}`)) ?? {};
  return { inputs: inputs as object, outputs: outputs as object, id };
}

it("what is imported stands in state as what is created, and is left out the next time", async () => {
  const webhooks = [101, 102, 103, 104].map((webhookId) => ({
    webhookId,
    state: webhookId === 102 ? ("disabled" as const) : ("active" as const),
  }));
  const { sandbox, cwd, run, shell } = await exampleProject(
    "adopt",
    { shape: SHAPE, webhooks, apiKeys: [KEY] },
    { KEY },
  );
  const file = (name: string) => join(cwd, name);
  await run("config", "set", "partners:account", "shop"); // Every resource is stamped with it.
  await writeFile(file("index.ts"), `import "./webhooks";\nimport "./checkout";\n`);

  const first = await shell("npx pulumi-partners adopt --force --out webhooks.ts --import-file import.json");
  expect(first.stderr).toContain("The states of 2 webhooks are not known: see the comment in the program.");
  await shell(
    `printf '%s\\n' "$KEY" | npx pulumi-partners adopt --api-key-stdin --name checkout --force --out checkout.ts --import-file key.json`,
  );
  await shell(`${IMPORT} import.json && ${IMPORT} key.json && pulumi preview --expect-no-changes`);
  expect(sandbox.requests.every(({ method }) => method === "GET")).toBe(true);

  // Created beside the imported ones, to compare: a webhook that is decided, and a key.
  const program = await readFile(file("webhooks.ts"), "utf8");
  const decided = program.replace(/\/\/ (new .*webhookId: 103, state: )"\?"/, '$1"active"');
  expect(decided).not.toBe(program);
  await writeFile(
    file("webhooks.ts"),
    `${decided}new partners.PartnerApiKey("minted");\nnew partners.PartnerWebhookState("renamed", { webhookId: 105, state: "active" });\n`,
  );
  sandbox.addWebhook(105, "active");
  expect(await run("up", "--yes", "--skip-preview")).toMatch(/\+ 3 created\s+4 unchanged/);

  const { deployment } = JSON.parse(await run("stack", "export")) as {
    deployment: { resources: Record<string, unknown>[] };
  };
  const [imported, created] = ["webhook-101", "renamed"].map((name) => kept(deployment.resources, name));
  expect(JSON.parse(JSON.stringify(imported).replaceAll("101", "105"))).toEqual(created);
  const [importedKey, minted] = ["checkout", "minted"].map((name) => kept(deployment.resources, name));
  expect(shapeOf(importedKey)).toEqual({ ...shapeOf(minted), server: "null" });

  const again = await shell("npx pulumi-partners adopt");
  expect(again.stderr).toContain(
    "Left out, as stack dev has them: 101 (webhook-101), 102 (webhook-102), 103 (webhook-103), 105 (renamed).",
  );
  expect(again.stdout.match(/^.*new .*$/gm)).toEqual([
    '// new partners.PartnerWebhookState("webhook-104", { webhookId: 104, state: "?" });',
  ]);
  const taken = await shell(
    `! printf %s "$KEY" | npx pulumi-partners adopt --api-key-stdin --name another 2>&1`,
  );
  expect(taken.stdout).toContain("The stack has this key already, as checkout, so nothing was written.");

  await run("destroy", "--yes", "--skip-preview");
  expect(Object.fromEntries(sandbox.webhooks)).toMatchObject({ 101: "active", 102: "disabled" });
  expect(sandbox.apiKeys).toEqual([]);
});

/** The kind of each input and output: secrets are objects in an export. */
function shapeOf(resource: { inputs: object; outputs: object } | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries({ ...resource?.inputs, ...resource?.outputs }).map(([name, value]) => [
      name,
      value === null ? "null" : typeof value,
    ]),
  );
}
