import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it, onTestFinished } from "vitest";

import { CANARIES, findLeaks, readFolder, type Secrets } from "../support/canary.ts";
import { sandboxStack } from "./support.ts";

/** Secrets of resources that have nothing to do with this package. */
const CONTROL = {
  input: "input_Gw5tYk2MqRb9Xz/+=%?#Dn7vPs4LcJf8Ha1u",
  provider: "provider_Cv7jFa4QnXe2Bs/+=%?#Zm5kTw8RhLd3Gy",
  configuration: "config_Ep9uKo6JtMv3Yi/+=%?#Xf2bSq7NcHg8Rw",
};

/** A resource as in Pulumi's own tutorials: a secret goes in, and comes out under two names. */
class Control extends pulumi.dynamic.Resource {
  declare readonly created: pulumi.Output<string>;

  constructor(name: string, opts?: pulumi.CustomResourceOptions) {
    const create = ({ given }: { given: string }): Promise<pulumi.dynamic.CreateResult> =>
      Promise.resolve({ id: "control", outs: { given, created: given } });
    const additionalSecretOutputs = ["created"];
    const props = { given: pulumi.secret(CONTROL.input), created: undefined };
    super({ create }, name, props, { ...opts, additionalSecretOutputs });
  }
}

/**
 * Which kinds of lines hold a secret: what a line begins with, less names and addresses.
 *
 * @example "Marshaling property for RPC[ResourceMonitor.RegisterResource()]"
 */
function kindsOfLeaks(lines: readonly string[], secrets: Secrets): Set<string> {
  const leaking = lines.filter((line) => findLeaks({ line }, secrets).length > 0);
  return new Set(leaking.map((line) => kindOf(line)));
}

function kindOf(line: string): string {
  const { msg, method, diagnosticEvent } = line.startsWith("{") ? (JSON.parse(line) as LogLine) : {};
  const text = msg ?? method ?? diagnosticEvent?.message ?? line;
  // A message may stand behind the line of its resource, or inside the engine's note that it passed, or behind a time.
  const message = text.replace(/^.*?(?:debug: |%\}>)|^[IWEF]\d{4} [\d:.]+ +\d+ /, "");
  const general = message.replaceAll(/0x[0-9a-f]+/g, "").replaceAll(/\([^()]*\)/g, "()");
  return general.split(/: resource:|\]: /, 1)[0] ?? "";
}

function linesOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split("\n"));
}

interface LogLine {
  /** In the engine's log. */
  readonly msg?: string;
  /** In the log of the calls between the engine and its plugins. */
  readonly method?: string;
  /** In the event log. */
  readonly diagnosticEvent?: { readonly message: string };
}

it("what Pulumi's own debug logs show of our secrets, they show of everybody's", async () => {
  const temporary = await mkdtemp(join(tmpdir(), "canary-"));
  onTestFinished(() => rm(temporary, { recursive: true, force: true }));
  const { sandbox, stack } = await sandboxStack(
    () => {
      const key = new partners.PartnerApiKey("checkout");
      const url = sandbox.url;
      const second = new partners.Provider("second", { baseUrl: url, accessToken: CANARIES.token });
      new partners.PartnerApiKey("other", {}, { provider: second });
      const control = new Control("control");
      const provider = new (class extends pulumi.ProviderResource {})("pulumi-nodejs", "control", {
        "control:token": pulumi.secret(CONTROL.provider),
      });
      new Control("other-control", { provider });
      return Promise.resolve({ key: key.apiKey, control: control.created });
    },
    {
      accessToken: CANARIES.token,
      shape: {
        apiKey: ({ key }) => ({ apiKey: key, clientSecret: CANARIES.clientSecret }),
        webhooks: (list) => list,
      },
    },
    {
      env: { PARTNERS_ACCESS_TOKEN: "", TMPDIR: temporary, PULUMI_DEBUG_GRPC: join(temporary, "calls.json") },
      config: {
        "partners:accessToken": { value: CANARIES.token, secret: true },
        "control:password": { value: CONTROL.configuration, secret: true },
      },
    },
  );
  const flags = ["-v=9", "--logtostderr", "--debug"];
  const results = [await stack.up({ flags }), await stack.refresh({ flags })];
  const ours = { ...CANARIES, key: sandbox.apiKeys[0] ?? "", other: sandbox.apiKeys[1] ?? "" };
  results.push(await stack.destroy({ flags: ["-v=9"] })); // To a file in the folder for temporary ones.
  expect(results.map((result) => (result.ok ? "" : result.error.slice(0, 1000)))).toEqual(["", "", ""]);

  const files = await readFolder(dirname(stack.backendDir));
  const events = Object.keys(files)
    .filter((file) => /^events-\d+\.json$/.test(file))
    .map((file) => files[file] ?? "");
  const { "calls.json": calls = "", ...written } = await readFolder(temporary);
  const logs = {
    "-v=9 --logtostderr": linesOf(results.map(({ stderr }) => stderr)),
    "-v=9": linesOf(Object.values(written)),
    "--debug": linesOf(results.map(({ stdout }) => stdout)),
    "--event-log": linesOf(events),
    PULUMI_DEBUG_GRPC: linesOf([calls]),
  };
  for (const [log, lines] of Object.entries(logs)) {
    const kinds = kindsOfLeaks(lines, ours);
    const pulumis = kindsOfLeaks(lines, CONTROL);
    expect({ log, found: pulumis.size > 0 }).toEqual({ log, found: true });
    expect({ log, only: [...kinds].filter((kind) => !pulumis.has(kind)) }).toEqual({ log, only: [] });
  }
});
