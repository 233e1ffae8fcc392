/** Remedies that depend on the engine, followed to the letter. `test/unit/drills` follows the others. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { describe, expect, it, onTestFinished } from "vitest";

import { runShell } from "../../provider/tools/child-process.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import {
  commandsIn,
  sentencesOf,
  sentenceWith,
  variablesIn,
  withPointer,
  type ENGINE_DRILLS,
} from "../support/advice.ts";
import { LONG } from "../support/random.ts";
import type { TestStack } from "../support/stack.ts";
import { createAuthority, startTlsFront } from "../support/tls.ts";
import {
  declareKey,
  declareWebhook,
  environmentFor,
  HOSTS,
  loseAnswers,
  replaceAnswers,
  sandboxFor,
  stackFor,
  UNCHANGED,
  version,
  type Host,
  type PartnerApiServer,
} from "./support.ts";

/** Follows one remedy. @param words Some words of it. */
type Drill = (words: string, host: Host) => Promise<void>;

/** Types the commands of a sentence into a terminal. The last one must succeed. */
async function type({ shell }: TestStack, sentence: string): Promise<void> {
  const commands = commandsIn(sentence);
  expect(commands.length, sentence).toBeGreaterThan(0);
  for (const command of commands) expect(await shell(command), command).toMatchObject({ code: 0 });
}

class NativeProvider extends pulumi.ProviderResource {}

function declareProvider(host: Host, { url: baseUrl, accessToken }: PartnerApiServer) {
  const settings = { baseUrl, accessToken };
  return host === "dynamic"
    ? new partners.Provider("eu", settings)
    : new NativeProvider("partners", "eu", settings, { version });
}

/** Creates a stack whose settings are in its configuration, and whose program may leave out a key. */
async function startConfigured(host: Host) {
  const program = { hasKey: true };
  const declare = () => (program.hasKey ? void declareKey(host, "checkout") : undefined);
  const started = await stackFor(declare, { env: { PARTNERS_BASE_URL: "", PARTNERS_ACCESS_TOKEN: "" } });
  const { api, stack } = started;
  await stack.configure({ baseUrl: api.url, accessToken: api.accessToken });
  return { ...started, program };
}

/** Has each creation answered with two values that may be the key. */
function answerTwoValues(api: PartnerApiServer): void {
  replaceAnswers(api, "createApiKey", async (usual) => {
    const { body } = (await usual()) as { body: { apiKey: string } };
    return { status: 201, body: { one: { value: body.apiKey }, two: { value: `${body.apiKey}f7a9b2` } } };
  });
}

const DRILLS: Readonly<Record<(typeof ENGINE_DRILLS)[number], Drill>> = {
  "to a refresh or destroy": async (words, host) => {
    const { api, stack, run } = await startConfigured(host);
    expect(await run("up")).toMatchObject({ error: "" });
    api.accessToken = "ptk_new_0123456789";
    await stack.configure({ accessToken: api.accessToken });
    const [option = "none"] = /--[\w-]+/.exec(sentenceWith(words, (await run("destroy")).error)) ?? [];
    expect(await run("destroy", option)).toMatchObject({ error: "" });
    expect(api.keys.size).toBe(0);
  },

  "put it back (and its Provider": async (words, host) => {
    const eu = await sandboxFor();
    let isDeclared = true;
    const { stack, run } = await stackFor(() => {
      if (isDeclared) declareKey(host, "checkout", {}, { provider: declareProvider(host, eu) });
    });
    expect(await run("up")).toMatchObject({ error: "" });
    eu.accessToken = "ptk_new_0123456789";
    isDeclared = false;
    const { error } = await run("up");
    expect(error).toContain("returned 401");
    isDeclared = true;
    await type(stack, sentenceWith(words, error));
    isDeclared = false;
    expect(await run("up")).toMatchObject({ error: "" });
    expect([eu.keys.size, await run("up", UNCHANGED)]).toMatchObject([0, { error: "" }]);
  },

  "To delete it, run": async (words, host) => {
    const { api, stack, run, program } = await startConfigured(host);
    answerTwoValues(api);
    expect((await run("up")).error).toContain("no key was recognized");
    program.hasKey = false;
    const { error } = await run("up");
    await type(stack, withPointer(sentenceWith(words, error), "/one/value"));
    // The message goes on with what lets a setting count here.
    program.hasKey = true;
    await type(stack, sentenceWith("put it back", error));
    program.hasKey = false;
    expect(await run("up")).toMatchObject({ error: "" });
    expect([api.keys.size, await run("up", UNCHANGED)]).toMatchObject([0, { error: "" }]);
  },

  "Pass it again, with the option": async (words, host) => {
    const eu = await sandboxFor();
    let hasProvider = true;
    const { api, run } = await stackFor(() => {
      const provider = declareProvider(host, eu);
      declareKey(host, "checkout", {}, hasProvider ? { provider } : {});
    });
    expect(await run("up")).toMatchObject({ error: "" });
    hasProvider = false;
    sentenceWith(words, (await run("up")).error);
    expect(api.keys.size).toBe(0);
    hasProvider = true;
    expect(await run("up", UNCHANGED)).toMatchObject({ error: "" });
  },

  'in the environment: "pulumi do"': async (words) => {
    const api = await sandboxFor();
    replaceAnswers(api, "listWebhooks", () => ({
      body: { data: [{ id: 101, active: true }], has_more: true },
    }));
    const engine = await engineEnv();
    onTestFinished(() => engine.dispose());
    const env: Record<string, string> = {};
    const list = async () => {
      const options = { cwd: engine.dir, env: { ...engine.env, ...env } };
      const { code, stdout, stderr } = await runShell("pulumi do partners:PartnerWebhookState list", options);
      expect(stdout + stderr).not.toContain("pulumi config");
      return { code, printed: stdout + stderr };
    };
    const missing = sentencesOf((await list()).printed).filter((sentence) => sentence.includes(words));
    const names = missing.map((sentence) => /Set (PARTNERS_\w+) in/.exec(sentence)?.[1]);
    expect(new Set(names)).toEqual(new Set(Object.keys(environmentFor(api))));
    Object.assign(env, environmentFor(api));
    const incomplete = sentenceWith("If the list is complete", (await list()).printed);
    for (const { name, value } of variablesIn(incomplete)) env[name] = value;
    expect(await list()).toMatchObject({ code: 0 });
  },

  "set NODE_EXTRA_CA_CERTS": async (words, host) => {
    const { api, stack } = await stackFor(() => void declareKey(host, "checkout"));
    const authority = await createAuthority();
    const front = await startTlsFront(api.url, await authority.issue({ hosts: ["localhost"] }));
    onTestFinished(() => front.close());
    const env = { PARTNERS_BASE_URL: `https://localhost:${front.port}` };
    sentenceWith(words, (await stack.up({ env })).error);
    const file = join(stack.projectDir, "ca.pem");
    await writeFile(file, authority.certificate);
    expect(await stack.up({ env: { ...env, NODE_EXTRA_CA_CERTS: file } })).toMatchObject({ error: "" });
    expect(api.keys.size).toBe(1);
  },
};

describe.each(LONG ? HOSTS : (["native"] as const))("with the %s form,", (host) => {
  it.each(Object.entries(DRILLS))("whoever follows %j ends the situation", (words, drill) =>
    drill(words, host),
  );
});

/** The commands of messages that the simulated engine follows. A real CLI takes them as they are. */
it.runIf(LONG).each(HOSTS)("the CLI takes the commands of the messages: %s", async (host) => {
  const { api, stack, run, program } = await startConfigured(host);
  loseAnswers(api, "createApiKey");
  const lost = await run("up");
  api.keys.clear();
  await type(stack, sentenceWith("To create another key", lost.error)); // pulumi up --replace
  expect(await run("up", UNCHANGED)).toMatchObject({ error: "" });

  replaceAnswers(api, "deleteApiKey", () => ({ status: 422 }));
  program.hasKey = false;
  const refused = await run("up");
  api.keys.clear();
  const urn = /urn:[^"]*::checkout/.exec(await stack.stateFile())?.[0] ?? "";
  await type(stack, sentenceWith("no longer works", refused.error).replace("delete URN", `delete '${urn}'`));
  expect(await run("up", UNCHANGED)).toMatchObject({ error: "" });
});

it.runIf(LONG).each(HOSTS)(
  "a key that is left where one is allowed ends as its message says: %s",
  async (host) => {
    const { api, stack, run } = await stackFor(() => void declareKey(host, "checkout"));
    expect(await run("up")).toMatchObject({ error: "" });
    replaceAnswers(api, "createApiKey", (usual) => (api.keys.size > 0 ? { status: 409 } : usual()));
    replaceAnswers(api, "createApiKey", () => "reset", 1);
    const { error: lost } = await run("up", "--replace", "**:PartnerApiKey::checkout");
    // The remedy of the lost creation leads to the next message.
    const [command = ""] = commandsIn(sentenceWith("To create another key", lost));
    const { stdout } = await stack.shell(command);
    expect(api.keys.size).toBe(1);
    const sentence = sentenceWith("lists a resource twice", stdout);
    const { stdout: listed } = await stack.shell(/"(pulumi stack)"/.exec(sentence)?.[1] ?? "");
    expect(listed.match(/PartnerApiKey +checkout/g)).toHaveLength(2);
    api.keys.clear();
    expect(await stack.shell(command)).toMatchObject({ code: 0 });
    expect(await run("up", UNCHANGED)).toMatchObject({ error: "" });
    expect(api.keys.size).toBe(1);
    expect(JSON.stringify(await stack.exportStack())).toContain([...api.keys][0]);
  },
);

it.runIf(LONG).each(HOSTS)("the CLI takes the pointers and the words of the messages: %s", async (host) => {
  const env = { PARTNERS_BASE_URL: "", PARTNERS_ACCESS_TOKEN: "" };
  const { api, stack, run } = await stackFor(
    () => {
      declareWebhook(host, "orders", { webhookId: 101, state: "active" });
    },
    { env },
  );
  await stack.configure({ baseUrl: api.url, accessToken: api.accessToken });
  const records = () =>
    Array.from(api.webhooks, ([id, state]) => ({
      id,
      status: { name: state === "active" ? "Live" : "Off" },
    }));
  replaceAnswers(api, "listWebhooks", () => ({ body: { incoming: records(), outgoing: [{ id: 7 }] } }));
  const { error } = await run("up");
  await type(stack, withPointer(sentenceWith("responses.webhooks", error), "/incoming"));
  const { printed } = await run("up");
  const sentence = sentenceWith("list its values in the same way", printed);
  await type(stack, sentence);
  const [, ...keys] = /starting at (\S+) and (\S+)\.$/.exec(sentence) ?? [];
  for (const [index, value] of ["Live", "Off"].entries())
    await type(stack, `run "pulumi config set --path ${keys[index] ?? ""} ${value}"`);
  expect(await run("up")).toMatchObject({ error: "" });
  api.webhooks.set(101, "disabled");
  expect(await run("refresh")).toMatchObject({ error: "" });
  expect(await run("up")).toMatchObject({ error: "" });
  expect(api.webhooks.get(101)).toBe("active");
});
