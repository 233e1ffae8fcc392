/** That no option, transform or hook of a program makes a key plain text, in each form. */
import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import manifest from "../../provider/package.json" with { type: "json" };
import { mustRunShell } from "../../provider/tools/child-process.ts";
import { ROOT } from "../../provider/tools/checkout.ts";
import { SECRET_OUTPUTS } from "../../provider/src/registration.js";
import { findLeaks } from "../support/canary.ts";
import { LONG } from "../support/random.ts";
import { HOSTS, replaceAnswers, stackFor, UNCHANGED, version, type Host } from "./support.ts";

/** What the program does; each step of the test changes some of it. */
interface Program {
  readonly host: Host;
  /** Options that the class `PartnerApiKey` once added itself, and that states therefore have. */
  readonly additionalSecretOutputs?: readonly string[];
  readonly keys: readonly string[];
  readonly trigger: string;
  /** Whether it reads the key from the outputs of another stack: a copy, which no run writes meanwhile. */
  readonly refersToStack?: boolean;
}

/** A program as a user writes it, whose transforms drop options, and whose hooks print what they get. */
const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const partners = require("pulumi-partners");
const { host, keys, trigger, additionalSecretOutputs, refersToStack } = require("./program.json");

class Native extends pulumi.CustomResource {
  constructor(name, inputs, opts) {
    const version = "${version}";
    super("partners:index:PartnerApiKey", name, { apiKey: undefined, ...inputs }, { version, ...opts });
  }
}
const PartnerApiKey = host === "native" ? Native : partners.PartnerApiKey;

const rebuild = ({ props, opts: { id, hooks, version } }) => ({ props, opts: { id, hooks, version } });
if (!additionalSecretOutputs) {
  pulumi.runtime.registerResourceTransform(rebuild);
  pulumi.runtime.registerStackTransformation(rebuild);
}
const print = new pulumi.ResourceHook("print", (args) => {
  console.log("hook", args.newOutputs ? "new" : "old", JSON.stringify(args.newOutputs ?? args.oldOutputs));
  console.log(JSON.stringify(args));
});
const hooks = { afterCreate: [print], afterUpdate: [print], beforeDelete: [print] };
const opts = { hooks, ...(additionalSecretOutputs ? { additionalSecretOutputs } : { transforms: [rebuild] }) };

module.exports = async () => {
  const rotation = { trigger, overlapDays: 7 };
  const outputs = keys.map((name) => [name, new PartnerApiKey(name, { rotation }, opts).apiKey]);
  if (refersToStack) {
    outputs.push(["other", new pulumi.StackReference("organization/test/copy").getOutput("first")]);
  }
  if (host === "dynamic") outputs.push(["list", partners.getPartnerWebhooksOutput()]);
  return Object.fromEntries(outputs);
};
`;

/** Beside each webhook of the list. */
const SIGNING_SECRET = "whsec_of_every_record";

/** The forms, and versions of the SDK: the installed one, and the oldest that is supported. */
const FORMS = [
  ...HOSTS.map((host) => ({ host, sdk: null })),
  { host: "dynamic" as const, sdk: manifest.peerDependencies["@pulumi/pulumi"].replace("^", "") },
];

// In short runs, plugin tests prove that each host marks what is secret.
it.runIf(LONG).each(FORMS)(
  "no transform, hook or upgrade makes a key plain text (%o)",
  { timeout: 600_000 },
  async ({ host, sdk }) => {
    let program: Program = { host, keys: ["first"], trigger: "1", additionalSecretOutputs: SECRET_OUTPUTS };
    const files = { "index.js": PROGRAM, "program.json": JSON.stringify(program) };
    const { api, stack, run } = await stackFor(undefined, { files });
    if (sdk !== null) await installSdk(stack.projectDir, sdk);
    replaceAnswers(api, "listWebhooks", () => ({
      body: [{ id: 101, active: true, secret: SIGNING_SECRET }],
    }));
    const secrets: Record<string, string> = { signing: SIGNING_SECRET };
    const places: Record<string, string> = {};
    /** Runs an operation after an edit, and keeps what it printed and stored. */
    const step = async (edit: Partial<Program>, ...args: Parameters<typeof run>) => {
      program = { ...program, ...edit };
      await stack.write("program.json", JSON.stringify(program));
      const result = await run(...args);
      const index = Object.keys(places).length;
      places[`${index}: ${args[0]}`] = result.printed + (await stack.stateFile());
      for (const key of api.keys) secrets[key] = key;
      return result;
    };

    // Today's state, as an earlier version wrote it.
    const created = await step({}, "up");
    expect(created).toMatchObject({ error: "", requests: { POST: 1 } });
    expect(created.printed).toMatch(/hook new \{.*apiKey/);
    expect(await stack.stateFile()).toContain("additionalSecretOutputs");
    const [first = ""] = api.keys;
    delete (program as { additionalSecretOutputs?: unknown }).additionalSecretOutputs;
    expect(await step({}, "up", UNCHANGED)).toMatchObject({ error: "" });
    expect(await stack.stateFile()).not.toContain("additionalSecretOutputs");
    expect(await step({}, "refresh", UNCHANGED)).toMatchObject({ error: "" });

    // A creation whose response has no key yet.
    replaceAnswers(
      api,
      "createApiKey",
      async (usual) => {
        const { body } = (await usual()) as { body: { apiKey: string } };
        return { status: 201, body: { first: { a: body.apiKey }, second: { b: "another-0123456789" } } };
      },
      1,
    );
    const failed = await step({ keys: ["first", "second"] }, "up");
    expect(failed.error).toContain("[PARTNERS_UNREADABLE]");
    expect(await stack.stateFile()).toContain("response");
    await stack.configure({ responses: '{"apiKey":"/first/a"}' });
    const recovered = await step({}, "up");
    expect(recovered.error).toBe("");
    expect(recovered.requests, "the kept response is read").not.toHaveProperty("POST");
    await stack.pulumi("config", "rm", "partners:responses");

    expect(await step({ trigger: "2" }, "up")).toMatchObject({ error: "", requests: { POST: 2 } });
    const stacks = join(stack.backendDir, ".pulumi/stacks/test");
    await cp(join(stacks, "dev.json"), join(stacks, "copy.json"));
    expect(await step({ refersToStack: true }, "up")).toMatchObject({ error: "", requests: {} });
    const outputs = await stack.outputs();
    expect(outputs).toMatchObject({ other: outputs["first"] });
    const destroyed = await step({}, "destroy", "--run-program");
    expect(destroyed).toMatchObject({ error: "", requests: { DELETE: 4 } });
    expect(destroyed.printed).toContain("hook old");

    expect(Object.keys(secrets)).toHaveLength(5);
    expect(secrets).toHaveProperty([first]);
    expect(findLeaks(places, secrets)).toEqual([]);
  },
);

/** Replaces the SDK of a project, whose packages are a link to those of the repository. */
async function installSdk(project: string, sdk: string): Promise<void> {
  await rm(join(project, "node_modules"));
  await writeFile(join(project, "package.json"), "{}");
  const undici = `undici@${manifest.dependencies.undici}`;
  await mustRunShell(`npm install --no-audit --no-fund @pulumi/pulumi@${sdk} ${undici}`, { cwd: project });
  const copy = join(project, "node_modules/pulumi-partners");
  await cp(join(ROOT, "provider/dist"), join(copy, "dist"), { recursive: true });
  await cp(join(ROOT, "provider/package.json"), join(copy, "package.json"));
}
