/** How users get the plugin: as a tarball, or from its sources. docs.test.ts installs the npm package. */
import { once } from "node:events";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import schema from "../../provider/schema.json" with { type: "json" };
import { copySources, ROOT } from "../../provider/tools/checkout.ts";
import { mustRunShell } from "../../provider/tools/child-process.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import { ADDRESSES } from "../../provider/tools/release/addresses.ts";
import { rehearseRelease } from "../../provider/tools/release/release-check.ts";
import { LONG } from "../support/random.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  countRequests,
  declareWebhook,
  environmentFor,
  sandboxFor,
  stackFor,
  statesOf,
  UNCHANGED,
  WEBHOOKS,
} from "./support.ts";

/** npm installs packages. */
const LIMIT = { timeout: 600_000 };

it.runIf(LONG)(
  "a release passes its check, and its plugin installs itself and works without Node",
  LIMIT,
  async () => {
    const { version } = schema;
    const { pluginDownloadURL } = ADDRESSES;
    const folder = await temporaryFolder();
    const plugin = await rehearseRelease(join(folder, "release"));
    const tarball = await readFile(plugin);
    let isReleased = false;
    const release = createServer(({ url }, response) => {
      if (isReleased && url === `/${basename(plugin)}`) response.end(tarball);
      else response.writeHead(404).end();
    });
    onTestFinished(() => void release.close());
    await once(release.listen(0, "127.0.0.1"), "listening");
    const { port } = release.address() as AddressInfo;
    const home = join(folder, "home");
    const { api, stack, run } = await stackFor(
      () => {
        const args = { webhookId: 103, state: "active" } as const;
        declareWebhook("native", "refunds", args, { pluginDownloadURL }); // As SDKs of a release do.
      },
      {
        env: {
          PATH: dirname(await mustRunShell("command -v pulumi", {})),
          PULUMI_HOME: home,
          PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "false",
          PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `^${pluginDownloadURL}$=http://127.0.0.1:${port}`,
        },
      },
    );
    // Before the release, the page explains why the plugin cannot be downloaded.
    const [message = ""] = (await run("preview")).error.split(" '");
    const page = await readFile(join(ROOT, "docs/pulumi-messages.md"), "utf8");
    expect(page.replaceAll(/\s+/g, " ")).toContain(message || "a message");
    isReleased = true;
    expect(await run("up")).toMatchObject({ error: "", changes: { create: 2 } });
    expect(statesOf(api)[103]).toBe("active");
    expect(await run("destroy")).toMatchObject({ error: "", changes: { delete: 2 } });
    expect(await readdir(join(home, "plugins")), "a cache next to it").not.toContain("node_modules");
    const files = ["LICENSE", "LICENSE-node", "LICENSE-packages", "pulumi-resource-partners"];
    expect((await readdir(join(home, `plugins/resource-partners-v${version}`))).sort()).toEqual(files);
    expect(await stack.pulumi("plugin", "ls")).toContain(version);
  },
);

it.runIf(LONG)(
  "the plugin runs from a folder with only what Git holds, for the program in YAML, and is updated there",
  LIMIT,
  async () => {
    const checkout = await temporaryFolder();
    await copySources(checkout);
    const yaml = await readFile(join(ROOT, "examples/yaml/Pulumi.yaml"), "utf8");
    const plugin = join(checkout, "provider/plugin");
    const newest = yaml.replace("partners-yaml", "test");
    const added = /\n *stateOnDestroy: .*/;
    const files = { "Pulumi.yaml": newest.replace(added, "") };
    const { api, stack, run } = await stackFor(undefined, { files });
    await stack.pulumi("plugin", "rm", "resource", "partners", "--yes");
    const old = structuredClone(schema);
    const { inputProperties } = old.resources["partners:index:PartnerWebhookState"];
    Reflect.deleteProperty(inputProperties, "stateOnDestroy");
    await writeFile(join(checkout, "provider/schema.json"), JSON.stringify(old));
    await stack.pulumi("package", "add", plugin);
    expect(await run("up")).toMatchObject({ error: "", changes: { create: 4 } });
    const [apiKey] = api.keys;
    // The clone is updated. The CLI keeps its copy of the schema until the folder is newer.
    await writeFile(join(checkout, "provider/schema.json"), JSON.stringify(schema));
    const program = await readFile(join(stack.projectDir, "Pulumi.yaml"), "utf8");
    const [line = ""] = added.exec(newest) ?? [];
    await stack.write("Pulumi.yaml", program.replace("state: active", `$&${line}`));
    await stack.pulumi("install");
    expect(await run("up")).toMatchObject({ error: "", changes: { update: 1 } });
    expect(await stack.outputs()).toEqual({ apiKey, ordersState: "active", firstWebhook: 101 });
    expect(await stack.stateFile()).not.toContain(apiKey);
    // The program itself lists the webhooks.
    expect(await run("preview", UNCHANGED)).toMatchObject({ error: "", requests: { GET: 1 } });
    expect(await run("destroy")).toMatchObject({ error: "", changes: { delete: 4 } });
    expect([api.keys.size, statesOf(api)]).toEqual([0, WEBHOOKS]);
  },
);

it.runIf(LONG)(
  "the npm package works under Yarn PnP, where only declared dependencies resolve",
  LIMIT,
  async () => {
    const api = await sandboxFor();
    const engine = await engineEnv({
      ...environmentFor(api),
      PULUMI_STACK: "dev",
      PULUMI_SKIP_CONFIRMATIONS: "true",
    });
    onTestFinished(() => engine.dispose());
    const [checkout, cwd] = [join(engine.dir, "checkout"), join(engine.dir, "program")];
    await copySources(checkout);
    await cp(join(ROOT, "provider/dist"), join(checkout, "provider/dist"), { recursive: true });
    await cp(join(ROOT, "examples/quickstart"), cwd, { recursive: true });
    const script = `
    (cd ../checkout && npm pack --workspace provider --pack-destination ../program)
    npm install --prefix ../yarn @yarnpkg/cli-dist@4
    echo "npmRegistryServer: $(npm config get registry)" > .yarnrc.yml
    export YARN_ENABLE_GLOBAL_CACHE=false YARN_ENABLE_TELEMETRY=false
    touch yarn.lock # Otherwise, Yarn looks for a project in the parent folders.
    node ../yarn/node_modules/@yarnpkg/cli-dist/bin/yarn.js add ./pulumi-partners-*.tgz
    export NODE_OPTIONS="--require $PWD/.pnp.cjs"
    pulumi stack init dev
    pulumi up --skip-preview
    pulumi stack output apiKey --show-secrets
    pulumi preview --expect-no-changes
    pulumi destroy --skip-preview`;
    const printed = await mustRunShell(script, { cwd, env: engine.env, timeoutMs: LIMIT.timeout });
    expect(printed).toMatch(/^pk_live_/m);
    expect(countRequests(api)).toMatchObject({ POST: 1, DELETE: 1 });
    expect(api.keys.size).toBe(0);
  },
);
