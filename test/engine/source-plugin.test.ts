import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { copySources, ROOT } from "../../provider/tools/checkout.ts";
import { pythonEnv } from "../../provider/tools/engine/python-sdk.ts";
import { LONG } from "../support/random.ts";
import { blocksOf, sandboxStack, statesOf, UNCHANGED } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { version, pluginDownloadURL } = JSON.parse(
  await readFile(join(ROOT, "provider/schema.json"), "utf8"),
) as { version: string; pluginDownloadURL: string };

const example = (file: string): Promise<string> => readFile(join(ROOT, "examples", file), "utf8");

it(
  "the plugin runs from a folder with only what Git holds, for a YAML and in a long run a Python program",
  { timeout: 300_000 }, // npm installs the plugin's dependencies.
  async () => {
    const checkout = await temporaryFolder();
    await copySources(checkout);
    const blocks = await blocksOf("docs/get-started.md", "sh");
    const [copy, , add = ""] = blocks.find((block) => block.includes("examples/yaml"))?.split("\n") ?? [];
    expect(copy).toBe("cp -r examples/yaml ../my-stack");
    const yaml = { "Pulumi.yaml": (await example("yaml/Pulumi.yaml")).replace("partners-yaml", "test") };
    const { sandbox, stack, run } = await sandboxStack(undefined, {}, { files: yaml });
    const found = statesOf(sandbox);
    await stack.pulumi("plugin", "rm", "resource", "partners", "--yes");

    const inCheckout = add.trim().replace("../pulumi-partners", checkout);
    await stack.pulumi(...inCheckout.split(" ").slice(1));
    expect(await run("up")).toMatchObject({ error: "", changes: { create: 4 } });
    const [apiKey] = sandbox.apiKeys;
    expect(await stack.outputs()).toEqual({ apiKey, ordersState: "active", firstWebhook: 101 });
    expect(await stack.stateFile()).not.toContain(apiKey);
    // The program itself lists the webhooks.
    expect(await run("up", ...UNCHANGED.flags)).toEqual({
      error: "",
      changes: { same: 4 },
      requests: { GET: 1 },
    });
    expect(await run("destroy")).toMatchObject({ error: "", changes: { delete: 4 } });
    expect([sandbox.apiKeys, statesOf(sandbox)]).toEqual([[], { ...found, 103: "disabled" }]);

    if (!LONG) return; // languages.test.ts runs the same program with the installed plugin.
    const env = await pythonEnv(await temporaryFolder());
    if (!env) return;
    const files = {
      "Pulumi.yaml": `name: test\nruntime: python\npackages:\n  partners: ${checkout}/provider/plugin\n`,
      "__main__.py": await example("python/__main__.py"),
    };
    const python = await sandboxStack(undefined, {}, { env, files });
    await python.stack.pulumi("plugin", "rm", "resource", "partners", "--yes");
    expect(await python.run("up")).toMatchObject({ error: "", changes: { create: 4 } });
    const { resources = [] } = (await python.stack.exportStack()).deployment as {
      resources?: { type: string; inputs?: object; outputs?: object }[];
    };
    const provider = resources.find(({ type }) => type === "pulumi:providers:partners");
    expect(provider?.inputs).toMatchObject({ version });
    expect(JSON.stringify(provider)).toContain(pluginDownloadURL);
    expect(await python.run("destroy")).toMatchObject({ error: "", changes: { delete: 4 } });
  },
);
