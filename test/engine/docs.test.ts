/** The commands of the guides, as a reader types them. */
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { copySources, ROOT } from "../../provider/tools/checkout.ts";
import manifest from "../../provider/package.json" with { type: "json" };
import { mustRunShell } from "../../provider/tools/child-process.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import { LONG } from "../support/random.ts";
import { sandboxFor } from "../support/sandbox.ts";
import { blocksOf } from "./support.ts";

const GUIDE = "docs/get-started.md";
const INSTALLATION = "docs/installation.md";
const EXAMPLES = "examples/README.md";
/** The lowest versions that the package supports. */
const LOWEST = {
  node: manifest.engines.node.replace(">=", ""),
  // Older versions ignore the inputs that a read returns, so drift shows as an update without a diff.
  "@pulumi/pulumi": manifest.peerDependencies["@pulumi/pulumi"].replace("^", ""),
  // Older versions, and undici 7 up to 7.30.2, repeat a CONNECT forever if a proxy closes the connection.
  undici: manifest.dependencies.undici.replace("^", ""),
  typescript: "5.9.3", // The newest that the lowest SDK accepts.
};
/** npm installs packages. */
const LIMIT = { timeout: 600_000 };

/** Commands that configure something. One test runs them all. */
const SETTING = /^(pulumi config set|export) /;
/** Commands that other tests run, or that need a real service. */
const RUN_ELSEWHERE =
  /^(npm|curl|npx --no -- pulumi-partners|pulumi (up|preview|refresh|destroy|import|install|cancel|plugin|stack|state|package|do)|cd|read|\(umask) /;

it("the CLI accepts every configuration command in the docs", async () => {
  const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md") && file !== "get-started.md")
    .sort();
  const blocks = await Promise.all(pages.map((page) => blocksOf(`docs/${page}`, "sh")));
  const lines = blocks.flat().flatMap((block) => block.trim().split("\n"));
  const settings = lines.filter((line) => SETTING.test(line));
  const unknown = lines.filter((line) => !SETTING.test(line) && !RUN_ELSEWHERE.test(`${line} `));
  expect(unknown, "commands that no test runs").toEqual([]);

  const engine = await engineEnv();
  onTestFinished(() => engine.dispose());
  await writeFile(join(engine.dir, "Pulumi.yaml"), "name: configured\nruntime: nodejs\n");
  await writeFile(join(engine.dir, "token.txt"), "demo-token\n");
  const show = ["pulumi config --json --show-secrets", `printf '\\n%s' "$PARTNERS_RESPONSES"`];
  const script = ["pulumi stack init dev", ...settings, ...show].join("\n");
  const stdout = await mustRunShell(script, { cwd: engine.dir, env: engine.env });
  const [, config = "", responses = ""] = /^(\{.*^\})\n+(.*)$/ms.exec(stdout) ?? [];
  expect(JSON.parse(config)).toMatchObject({
    "partners:accessToken": { value: "demo-token", secret: true },
    "partners:baseUrl": { value: "https://partners.example.com" },
    // Both samples of docs/responses.md set the same.
    "partners:responses": { objectValue: JSON.parse(responses) as object },
  });
});

it("the command of docs/troubleshooting.md shows the list", async () => {
  const api = await sandboxFor();
  const [look = ""] = (await blocksOf("docs/troubleshooting.md", "sh")).filter((block) =>
    block.startsWith("curl"),
  );
  const env = { PARTNERS_BASE_URL: api.url, PARTNERS_ACCESS_TOKEN: api.accessToken };
  expect(JSON.parse(await mustRunShell(look, { env: { ...process.env, ...env } }))).toHaveLength(3);
});

/** Lines after the last program of the guide, to check its types and its Node. */
const MORE = `
import type { WebhookState } from "pulumi-partners";
// @ts-expect-error There is no such state, so the types are not \`any\`.
const _wrong: WebhookState = "paused";
export const node = process.version;
`;

it.runIf(LONG)(
  "the commands of docs/get-started.md do what they say, with the lowest supported versions",
  LIMIT,
  async () => {
    const port = String(await freePort());
    const [refuse, install, add, configure, sandbox, check, first, key, disable, repair, destroy, ...rest] =
      await commandsOf(GUIDE, port);
    const [webhookProgram = "", keyProgram = "", ...others] = await blocksOf(GUIDE, "ts");
    expect(others, "a program that this test does not run").toEqual([]);
    // packages.test.ts adds the plugin from its sources, packs it, and installs it from a server.
    const [file, server, git] = await commandsOf(INSTALLATION, port);
    expect(rest).toEqual([]);
    expect(
      [add, file, server, git].map((block) => block?.split("\n").at(-1)?.split(" ").slice(0, 3).join(" ")),
    ).toEqual(["pulumi package add", "pulumi plugin install", "pulumi plugin install", "pulumi package add"]);
    const lowest = Object.entries({ ...LOWEST, "@types/node": "22.19.0" });
    const packages = lowest.map(([name, version]) => `${name}@${version}`);
    const installThese = install?.replace("@pulumi/pulumi typescript@6", packages.join(" "));
    expect(installThese).not.toBe(install);
    const account = configure
      ?.replace("https://partners.example.com", `http://127.0.0.1:${port}`)
      .replace("pulumi config set --secret", "printf demo-token | pulumi config set --secret");
    const { checkout, engine } = await clone();
    await writeFile(join(engine.dir, "webhook.ts"), webhookProgram);
    await writeFile(join(engine.dir, "key.ts"), keyProgram + MORE);
    const script = [
      refuse,
      installThese,
      'PATH="$PWD/node_modules/.bin:$PATH"', // npm may have installed the lowest Node there.
      ...inTheBackground(sandbox ?? ""),
      account,
      check,
      "cp ../webhook.ts index.ts",
      first,
      "cat ../key.ts >> index.ts",
      "tsc --noEmit --strict --target es2022 --module nodenext --types node index.ts",
      key,
      disable,
      repair,
      destroy,
      "tail -n 1 sandbox.log",
    ].join("\n");
    const options = { cwd: checkout, env: engine.env, timeoutMs: LIMIT.timeout };
    const stdout = await mustRunShell(script, options);
    for (const line of (await blocksOf(GUIDE, "text")).join("").trimEnd().split("\n"))
      expect(stdout).toContain(line.trim());
    expect(stdout).toMatch(/^ok +webhooks +3 listed/m); // the doctor
    expect(stdout).toMatch(/apiKey +pk_live_/); // stack output --show-secrets
    expect(stdout).toContain(`v${LOWEST.node}`);
    expect(stdout).toMatch(/DELETE \/api-key\/\{api_key\} 200/);
  },
);

it(
  "the blocks of examples/README.md and the upgrade are known, and do what they say in a long run",
  LIMIT,
  async () => {
    const port = String(await freePort());
    const [sandbox = "", run = "", copy = "", ...others] = await commandsOf(EXAMPLES, port);
    const [upgrade = ""] = (await commandsOf(INSTALLATION, port))
      .filter((block) => block.startsWith("npm pack"))
      .map((block) => block.replaceAll("../my-stack", "../my-quickstart"));
    expect(others, "a block that this test does not run").toEqual([]);
    expect([`${sandbox}\n${run}`, copy, upgrade].map((block) => block.split("\n").length)).toEqual([4, 3, 3]);
    const destroy = "pulumi destroy --remove";
    expect(await readFile(join(ROOT, EXAMPLES), "utf8")).toContain(`\`${destroy}\``);
    if (!LONG) return;
    const { checkout, engine } = await clone();
    await mkdir(join(checkout, "examples"));
    await cp(join(ROOT, "examples/quickstart"), join(checkout, "examples/quickstart"), { recursive: true });
    const script = [
      ...inTheBackground(sandbox),
      `(\n${run}\n${destroy}\n)`,
      copy,
      run.replace("cd examples/quickstart && ", ""),
      'echo "// A change" >> ../pulumi-partners/provider/dist/index.js; cd ../pulumi-partners',
      upgrade,
      "tail -n 1 node_modules/pulumi-partners/dist/index.js",
      destroy,
    ].join("\n");
    const options = { cwd: checkout, env: engine.env, timeoutMs: LIMIT.timeout };
    const stdout = await mustRunShell(script, options);
    expect(stdout).toContain("// A change");
    expect(stdout.match(/\+ 4 created/g)).toHaveLength(2);
  },
);

/** Creates an engine with a built clone in its folder. */
async function clone() {
  const engine = await engineEnv({ PULUMI_SKIP_CONFIRMATIONS: "true", PULUMI_NODEJS_TRANSPILE_ONLY: "true" });
  onTestFinished(() => engine.dispose());
  const checkout = join(engine.dir, "pulumi-partners");
  await copySources(checkout);
  await cp(join(ROOT, "provider/dist"), join(checkout, "provider/dist"), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  return { checkout, engine };
}

/** Returns the command blocks of a file, with another port for the sandbox. */
async function commandsOf(page: string, port: string): Promise<string[]> {
  return (await blocksOf(page, "sh")).map((block) => block.trim().replaceAll(/\b4010\b/g, port));
}

/** Starts a sandbox as in a second terminal, and waits until it is ready. */
function inTheBackground(sandbox: string): string[] {
  return [
    `${sandbox} > sandbox.log 2>&1 &`,
    "until grep PARTNERS_BASE_URL sandbox.log; do kill -0 $! || { cat sandbox.log; exit 1; }; sleep 0.1; done",
  ];
}

/** Returns a port that is free now. If another process takes it meanwhile, the sandbox and the test fail. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
