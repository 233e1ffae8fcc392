/**
 * The language host for `runtime: yaml` if the CLI comes without Pulumi's own: the server of the Automation
 * API, with an inline program that registers what `Pulumi.yaml` declares. It supports what our examples use:
 * properties, providers, variables that call a function, and references that are a whole value, such as
 * `${key.apiKey}`.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type grpc from "@grpc/grpc-js";
import * as pulumi from "@pulumi/pulumi";
import automation from "@pulumi/pulumi/automation/server.js";
import langproto from "@pulumi/pulumi/proto/language_pb.js";
import { parse } from "yaml";
import { always, engineAddress, startServer } from "./language-server.ts";

class Registered extends pulumi.CustomResource {}
class Provider extends pulumi.ProviderResource {}

interface Program {
  readonly resources?: Readonly<Record<string, Declaration>>;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

interface Declaration {
  readonly type: string;
  readonly properties?: object;
  readonly options?: object;
}

// The server of the Automation API is missing from its type declarations.
const { LanguageServer } = automation as unknown as {
  LanguageServer: new (program: () => Promise<unknown>) => {
    run: grpc.handleUnaryCall<langproto.RunRequest, langproto.RunResponse>;
    getPluginInfo: grpc.UntypedHandleCall;
  };
};

const program = new LanguageServer(runProgram);
startServer({
  run: (
    call: grpc.ServerUnaryCall<langproto.RunRequest, langproto.RunResponse>,
    callback: grpc.sendUnaryData<langproto.RunResponse>,
  ) => {
    process.chdir(call.request.getInfo()?.getProgramDirectory() ?? "");
    // The server of the Automation API reads the address from there.
    call.request.setArgsList([engineAddress]);
    program.run(call, callback);
  },
  getPluginInfo: program.getPluginInfo.bind(program),
  getRequiredPackages: always(new langproto.GetRequiredPackagesResponse()),
  getRequiredPlugins: always(new langproto.GetRequiredPluginsResponse()),
  // YAML needs neither dependencies nor an SDK.
  installDependencies: (call: grpc.ServerWritableStream<unknown, unknown>) => {
    call.end();
  },
  generatePackage: always(new langproto.GeneratePackageResponse()),
  link: always(new langproto.LinkResponse()),
});

async function runProgram(): Promise<unknown> {
  const text = await readFile(join(process.cwd(), "Pulumi.yaml"), "utf8");
  const { resources = {}, variables = {}, outputs = {} } = parse(text) as Program;
  const values = new Map<string, unknown>();
  for (const [name, { type, properties = {}, options = {} }] of Object.entries(resources)) {
    // The SDK reads only those outputs that have a name among the inputs.
    const read = [...text.matchAll(new RegExp(`\\$\\{${name}\\.(\\w+)`, "g"))].map(
      ([, output = ""]) => output,
    );
    const inputs = { ...Object.fromEntries(read.map((output) => [output, undefined])), ...properties };
    const args = [
      name,
      resolve(inputs, values) as pulumi.Inputs,
      resolve(options, values) as object,
    ] as const;
    const [, provided] = /^pulumi:providers:(\w+)$/.exec(type) ?? [];
    values.set(name, provided ? new Provider(provided, ...args) : new Registered(tokenOf(type), ...args));
  }
  for (const [name, value] of Object.entries(variables)) values.set(name, resolve(value, values));
  return resolve(outputs, values);
}

/** Replaces references and calls of functions by their values. */
function resolve(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === "string") {
    const [, name = "", path = ""] = /^\$\{(\w+)(.*)\}$/.exec(value) ?? [];
    if (name === "") return value;
    if (path === "") return values.get(name);
    const found: pulumi.Output<unknown> = pulumi.output(values.get(name));
    return found.apply((whole) => (path.match(/\w+/g) ?? []).reduce(memberOf, whole));
  }
  if (Array.isArray(value)) return value.map((item) => resolve(item, values));
  if (typeof value !== "object" || value === null) return value;
  if ("fn::invoke" in value) {
    const call = value["fn::invoke"] as { function: string; arguments?: object; return?: string };
    const inputs = resolve(call.arguments ?? {}, values) as pulumi.Inputs;
    const result: pulumi.Output<unknown> = pulumi.runtime.invokeOutput(tokenOf(call.function), inputs);
    return call.return === undefined ? result : result.apply((all) => memberOf(all, call.return ?? ""));
  }
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolve(part, values)]));
}

function memberOf(value: unknown, key: string): unknown {
  return (value as Record<string, unknown> | undefined)?.[key];
}

/** Completes a token: `partners:PartnerApiKey` stands for `partners:index:PartnerApiKey`. */
function tokenOf(type: string): string {
  return type.replace(/^(\w+):(\w+)$/, "$1:index:$2");
}
