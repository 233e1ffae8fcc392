/**
 * Connects the handlers to the engine as a native plugin, for programs in every Pulumi language. It implements the engine's
 * protocol directly and does not load the SDK, which is slow to start.
 */
import { writeSync } from "node:fs";

import * as grpc from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { Any } from "google-protobuf/google/protobuf/any_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";

import { SettingsError } from "../api/errors.js";
import { PartialFailure, type Properties, type ResourceHandlers } from "../handlers/contract.js";
import { ResourceError } from "../handlers/problems.js";
import { isObject } from "../json.js";
import {
  PARTNER_API_KEY,
  PARTNER_WEBHOOK_STATE,
  PARTNER_WEBHOOK_STATES,
  PARTNER_WEBHOOKS,
  SECRET_OUTPUTS,
} from "../registration.js";
import { listMethod } from "./list.js";
import { PluginHost } from "./plugin-host.js";
import {
  areChecked,
  checkedProviderInputs,
  configSource,
  diffProviderInputs,
  hasUnknown,
  unknownSettings,
} from "./provider-inputs.js";
import { asSecret, fromStruct, toStruct, withSecrets } from "./struct.js";

/** The version and the schema of the plugin's package. */
export interface PluginPackage {
  /** The version in package.json, such as `0.1.0`. */
  readonly version: string;
  /** The contents of schema.json. */
  readonly schema: object;
}

/** The limit that the SDK uses. A webhook list can exceed gRPC's default of 4 MB. */
const MAX_MESSAGE = 400 * 1024 * 1024;

/**
 * Serves the engine until the engine ends the process.
 *
 * @param engine The engine's address as host and port, which is the last argument of the process.
 */
export function serve(pluginPackage: PluginPackage, engine = ""): void {
  if (!/:\d+$/.test(engine)) {
    process.stderr.write(
      "This is a Pulumi plugin. Pulumi starts it when needed: see the README of pulumi-partners.\n",
    );
    process.exitCode = 1;
    return;
  }
  const server = new grpc.Server({ "grpc.max_receive_message_length": MAX_MESSAGE });
  const finish = (): Promise<void> =>
    new Promise((resolve) => {
      server.tryShutdown(() => {
        resolve();
      });
    });
  const host = new NativeHost(pluginPackage, new PluginHost(engine, () => grpc, finish));
  // gRPC returns UNIMPLEMENTED for all other methods, as the engine expects.
  server.addService(providerGrpc.ResourceProviderService, host.methods());
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    writeSync(1, `${port}\n`); // The engine waits for this line, and a stream would delay it.
  });
}

class NativeHost {
  readonly #package: PluginPackage;
  readonly #host: PluginHost;
  /** Whether a program runs. If so, the settings are current, even in a destroy or refresh. */
  #hasProgram = false;

  constructor(pluginPackage: PluginPackage, host: PluginHost) {
    this.#package = pluginPackage;
    this.#host = host;
  }

  methods(): grpc.UntypedServiceImplementation {
    const { version, schema } = this.#package;
    return {
      getPluginInfo: this.#method(() => new PluginInfo().setVersion(version)),
      getSchema: this.#method(() => new proto.GetSchemaResponse().setSchema(JSON.stringify(schema))),
      attach: this.#method(() => {
        const text =
          "PULUMI_DEBUG_PROVIDERS is not supported, because each account needs a process of its own. Unset it.";
        throw new SettingsError([{ kind: "environment", text }]);
      }),
      cancel: this.#method(() => {
        this.#host.lifetime.cancel();
        return new Empty();
      }),

      checkConfig: this.#resourceMethod((request: proto.CheckRequest) => this.#checkConfig(request)),
      diffConfig: this.#method((request: proto.DiffRequest) => {
        const { changed, replaces } = diffProviderInputs(
          fromStruct(request.getOlds()),
          fromStruct(request.getNews()),
        );
        return new proto.DiffResponse()
          .setChanges(changed.length > 0 ? SOME : NONE)
          .setDiffsList(changed)
          .setReplacesList(replaces);
      }),
      configure: this.#method((request: proto.ConfigureRequest) => {
        const inputs = fromStruct(request.getArgs());
        this.#host.hasStack = areChecked(inputs);
        this.#host.plugin.configure(configSource(inputs));
        // Without acceptSecrets, the engine passes plain values and itself marks values that derive from secrets.
        return new proto.ConfigureResponse().setSupportspreview(true);
      }),
      invoke: this.#method((request: proto.InvokeRequest) => this.#invoke(request)),

      check: this.#resourceMethod(async (request: proto.CheckRequest) => {
        const urn = request.getUrn();
        const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
        const { inputs, reasons } = await this.#host.check(() => this.#handlersOf(urn), olds, news);
        return new proto.CheckResponse()
          .setInputs(toStruct(inputs))
          .setFailuresList(reasons.map(checkFailure));
      }),
      diff: this.#resourceMethod((request: proto.DiffRequest) => this.#diff(request)),
      create: this.#resourceMethod(async (request: proto.CreateRequest) => {
        const handlers = this.#handlersOf(request.getUrn());
        const inputs = fromStruct(request.getProperties());
        const { id, outputs } = request.getPreview()
          ? { id: "", outputs: handlers.preview(null, inputs) }
          : await handlers.create(inputs);
        return new proto.CreateResponse().setId(id).setProperties(outputStruct(outputs));
      }),
      update: this.#resourceMethod(async (request: proto.UpdateRequest) => {
        const handlers = this.#handlersOf(request.getUrn());
        const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
        const outputs = request.getPreview()
          ? handlers.preview(olds, news)
          : await handlers.update(request.getId(), olds, news);
        return new proto.UpdateResponse().setProperties(outputStruct(outputs));
      }),
      read: this.#resourceMethod((request: proto.ReadRequest) => this.#read(request), true),
      list: listMethod(this.#host),
      delete: this.#resourceMethod(async (request: proto.DeleteRequest) => {
        await this.#handlersOf(request.getUrn()).delete(fromStruct(request.getProperties()));
        return new Empty();
      }, true),
    };
  }

  /** Returns the handlers for the type in a URN. */
  #handlersOf(urn: string): ResourceHandlers {
    const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
    const handlers = HANDLERS.get(type);
    if (handlers) return this.#host.handlers[handlers];
    throw unknownToken("resource type", type, [...HANDLERS.keys()]);
  }

  #checkConfig(request: proto.CheckRequest): proto.CheckResponse {
    this.#hasProgram = true; // Without a program, the engine calls only `configure`.
    const news = fromStruct(request.getNews());
    const inputs = checkedProviderInputs(request.getUrn(), news);
    this.#host.plugin.configure(configSource(inputs));
    for (const name of unknownSettings(news)) this.#host.plugin.warn({ kind: "unknownSetting", name });
    const response = new proto.CheckResponse().setInputs(toStruct(withSecrets(inputs, ["accessToken"])));
    // Values that are not known yet cannot be checked here; the checks of the resources report them later.
    if (hasUnknown(inputs)) return response;
    try {
      this.#host.plugin.readSettings();
      return response;
    } catch (error) {
      return response.setFailuresList([checkFailure(this.#host.describeError(error))]);
    }
  }

  async #invoke(request: proto.InvokeRequest): Promise<proto.InvokeResponse> {
    const token = request.getTok();
    if (token !== LIST_FUNCTION) throw unknownToken("function", token, [LIST_FUNCTION]);
    const webhooks = await this.#host.handlers.listWebhooks();
    // Records may contain secrets, such as a signing secret.
    return new proto.InvokeResponse().setReturn(toStruct({ webhooks: asSecret(webhooks) }));
  }

  #diff(request: proto.DiffRequest): proto.DiffResponse {
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    const response = new proto.DiffResponse().setHasdetaileddiff(true);
    let difference;
    try {
      difference = this.#handlersOf(request.getUrn()).diff(olds, news);
    } catch {
      return response.setChanges(SOME); // `update` reads the actual state itself and can report the error.
    }
    const { changes, replaces } = difference;
    if (!changes) return response.setChanges(NONE);
    const details = response.setChanges(SOME).setReplacesList(replaces).getDetaileddiffMap();
    for (const { path, kind } of changedProperties(fromStruct(request.getOldInputs()), news)) {
      const replaced = replaces.some((name) => path === name);
      details.set(path, new proto.PropertyDiff().setKind(KINDS[kind][replaced ? 1 : 0]).setInputdiff(true));
    }
    return response;
  }

  async #read(request: proto.ReadRequest): Promise<proto.ReadResponse> {
    const handlers = this.#handlersOf(request.getUrn());
    const olds = fromStruct(request.getProperties());
    // The provider stores an account with every resource. Without one, this is an import, or a `get` in the program.
    if (olds["account"] === undefined) {
      const { id, inputs, outputs } = await handlers.adopt(request.getId());
      return new proto.ReadResponse()
        .setId(id)
        .setInputs(toStruct(inputs))
        .setProperties(outputStruct(outputs));
    }
    const found = await handlers.read(olds);
    if (found === null) return new proto.ReadResponse().setId("");
    const inputs = found.inputs ?? fromStruct(request.getInputs());
    return new proto.ReadResponse()
      .setId(request.getId())
      .setInputs(toStruct(inputs))
      .setProperties(outputStruct(found.outputs));
  }

  /** Implements a method of the service. */
  #method<Request, Response>(
    handle: (request: Request) => Response | Promise<Response>,
    urnOf: (request: Request) => string = () => "",
    lastUp = false,
  ): grpc.handleUnaryCall<Request, Response> {
    return ({ request }, callback) => {
      const urn = urnOf(request);
      this.#host
        .handleCall(urn, async () => handle(request))
        .then(
          (response) => {
            callback(null, response);
          },
          (error: unknown) => {
            callback(this.#statusOf(error, urn, lastUp));
          },
        );
    };
  }

  /** Implements a method that concerns one resource. @param lastUp Whether the settings may come from the last `up`. */
  #resourceMethod<Request extends { getUrn(): string }, Response>(
    handle: (request: Request) => Response | Promise<Response>,
    lastUp = false,
  ): grpc.handleUnaryCall<Request, Response> {
    return this.#method(handle, (request) => request.getUrn(), lastUp);
  }

  /** Converts anything thrown into a status with our own message, because foreign messages may contain anything. */
  #statusOf(error: unknown, urn: string, lastUp: boolean): Partial<grpc.StatusObject> {
    const isStale = lastUp && this.#host.hasStack && !this.#hasProgram;
    const details = this.#host.describeError(
      error instanceof PartialFailure ? error.reason : error,
      isStale,
      urn,
    );
    if (!(error instanceof PartialFailure)) return { code: grpc.status.UNKNOWN, details };
    const { id, properties } = error;
    const failed = new proto.ErrorResourceInitFailed()
      .setId(id)
      .setProperties(outputStruct(properties))
      .setReasonsList([details]); // The engine prints the reasons, not the message.
    const detail = new Any();
    detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const status = new Status().setCode(grpc.status.UNKNOWN).setMessage(details).setDetailsList([detail]);
    const metadata = new grpc.Metadata();
    // The engine's gRPC library reads structured errors from this header.
    metadata.set("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
    return { code: grpc.status.UNKNOWN, details, metadata };
  }
}

/** The handlers of each resource type. */
const HANDLERS = new Map<string, "partnerApiKey" | "partnerWebhookState" | "partnerWebhookStates">([
  [PARTNER_API_KEY.nativeToken, "partnerApiKey"],
  [PARTNER_WEBHOOK_STATE.nativeToken, "partnerWebhookState"],
  [PARTNER_WEBHOOK_STATES.nativeToken, "partnerWebhookStates"],
]);
const LIST_FUNCTION = PARTNER_WEBHOOKS.nativeToken;

function unknownToken(what: "resource type" | "function", token: string, known: string[]): ResourceError {
  return new ResourceError({ kind: "unknownToken", what, token, known });
}

const { DIFF_SOME: SOME, DIFF_NONE: NONE } = proto.DiffResponse.DiffChanges;

const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = proto.PropertyDiff.Kind;
/** The kind of a property change: without and with a replacement of the resource. */
const KINDS = {
  add: [ADD, ADD_REPLACE],
  delete: [DELETE, DELETE_REPLACE],
  update: [UPDATE, UPDATE_REPLACE],
} as const;

/** Creates a failure without a property name: the engine would print the property's value, even if it is a secret. */
function checkFailure(reason: string): proto.CheckFailure {
  return new proto.CheckFailure().setReason(reason);
}

function outputStruct(outputs: Properties): ReturnType<typeof toStruct> {
  return toStruct(withSecrets(outputs, SECRET_OUTPUTS));
}

/** A property that differs between old and new inputs, at any depth. */
interface PropertyChange {
  /** The path in the engine's notation: `rotation.trigger`, `states["102"]`. */
  readonly path: string;
  readonly kind: keyof typeof KINDS;
}

function changedProperties(olds: Properties, news: Properties, parent = ""): PropertyChange[] {
  const names = new Set([...Object.keys(olds), ...Object.keys(news)]);
  return [...names].flatMap((name): PropertyChange[] => {
    const [before, after] = [olds[name] ?? null, news[name] ?? null];
    const path = parent + pathSegment(name, parent === "");
    if (isObject(before) && isObject(after)) return changedProperties(before, after, path);
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    return [{ path, kind: before === null ? "add" : after === null ? "delete" : "update" }];
  });
}

function pathSegment(name: string, isFirst: boolean): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return isFirst ? name : `.${name}`;
  return `[${JSON.stringify(name)}]`;
}
