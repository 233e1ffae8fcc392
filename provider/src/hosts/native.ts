/**
 * Connects the handlers to the engine as a native plugin, for programs in every Pulumi language. It
 * implements the engine's protocol directly and does not load the SDK, which is slow to start.
 */
import { writeSync } from "node:fs";
import { promisify } from "node:util";

import * as grpc from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { Any } from "google-protobuf/google/protobuf/any_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";

import { isState, STATES, type WebhookState } from "../api/operations.js";
import {
  PartialFailure,
  UNKNOWN,
  withoutSpecialValues,
  type Properties,
  type ResourceHandlers,
} from "../handlers/contract.js";
import { ResourceError } from "../handlers/problems.js";
import { isRefreshedFirst } from "../handlers/webhooks/refresh-before-update.js";
import { PARTNER_WEBHOOKS, RESOURCES, SECRET_OUTPUTS } from "../registration.js";
import { PluginHost, type CallContext } from "./plugin-host.js";
import {
  areChecked,
  checkedProviderInputs,
  configSource,
  diffProviderInputs,
  unknownSettings,
} from "./provider-inputs.js";
import { fromStruct, toStruct, toStructField } from "./struct.js";

/**
 * Serves the engine until the engine ends the process.
 *
 * @param version The version of the package, such as `0.1.0`.
 * @param schema The contents of schema.json.
 * @param engine The engine's address as host and port, which is the last argument of the process.
 */
export function serve(version: string, schema: object, engine = ""): void {
  if (!/:\d+$/.test(engine)) {
    process.stderr.write(
      "This is a Pulumi plugin. Pulumi starts it when needed: see the README of pulumi-partners.\n",
    );
    process.exitCode = 1;
    return;
  }
  // The limit that the SDK uses. A webhook list can exceed gRPC's default of 4 MB.
  const server = new grpc.Server({ "grpc.max_receive_message_length": 400 * 1024 * 1024 });
  const finish = promisify(server.tryShutdown.bind(server));
  const host = new NativeHost(new PluginHost(engine, () => grpc, { finish, canRefreshFirst: true }));
  // gRPC returns UNIMPLEMENTED for all other methods, as the engine expects.
  server.addService(providerGrpc.ResourceProviderService, host.methods(version, schema));
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    writeSync(1, `${port}\n`); // The engine waits for this line, and a stream would delay it.
  });
}

class NativeHost {
  readonly #host: PluginHost;
  /**
   * Whether the settings are current, even in a destroy or refresh: a program runs or, in `pulumi do`, there
   * is no stack.
   */
  #isCurrent = false;

  constructor(host: PluginHost) {
    this.#host = host;
  }

  methods(version: string, schema: object): grpc.UntypedServiceImplementation {
    return {
      getPluginInfo: this.#method(() => new PluginInfo().setVersion(version)),
      getSchema: this.#method(() => new proto.GetSchemaResponse().setSchema(JSON.stringify(schema))),
      cancel: this.#method(() => {
        this.#host.lifetime.cancel();
        return new Empty();
      }),

      checkConfig: this.#method((request: proto.CheckRequest) => this.#checkConfig(request)),
      diffConfig: this.#method((request: proto.DiffRequest) => {
        const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
        const { changed, replaces } = diffProviderInputs(olds, news);
        return new proto.DiffResponse()
          .setChanges(changed.length > 0 ? SOME : NONE)
          .setDiffsList(changed)
          .setReplacesList(replaces);
      }),
      configure: this.#method((request: proto.ConfigureRequest) => {
        const inputs = fromStruct(request.getArgs());
        this.#isCurrent ||= !areChecked(inputs);
        this.#host.plugin.configure(configSource(inputs));
        // Without acceptSecrets, the engine passes plain values and itself marks values that derive from
        // secrets.
        return new proto.ConfigureResponse().setSupportspreview(true);
      }),
      invoke: this.#method(async (request: proto.InvokeRequest) => {
        const token = request.getTok();
        const known = PARTNER_WEBHOOKS.nativeToken;
        if (token !== known) throw new ResourceError({ kind: "unknownToken", token, known: [known] });
        // Records may contain secrets, such as a signing secret.
        const webhooks = await this.#host.handlers.listWebhooks();
        return new ReturnResponse(toStructField(1, { webhooks }, ["webhooks"]));
      }),

      check: this.#method(async (request: proto.CheckRequest) => {
        const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
        const { inputs, reasons } = await this.#host.check(this.#handlersOf(request.getUrn()), olds, news);
        return new proto.CheckResponse()
          .setInputs(toStruct(inputs))
          .setFailuresList(reasons.map(checkFailure));
      }),
      diff: this.#method((request: proto.DiffRequest) => this.#diff(request)),
      create: this.#method(async (request: proto.CreateRequest) => {
        const handlers = this.#handlersOf(request.getUrn());
        const inputs = fromStruct(request.getProperties());
        if (request.getPreview())
          return new proto.CreateResponse().setProperties(previewStruct(handlers.preview(null, inputs)));
        const { id, outputs } = await handlers.create(inputs, request.getUrn());
        return new proto.CreateResponse()
          .setId(id)
          .setProperties(outputStruct(outputs))
          .setRefreshBeforeUpdate(isRefreshedFirst(outputs));
      }),
      update: this.#method(async (request: proto.UpdateRequest) => {
        const handlers = this.#handlersOf(request.getUrn());
        const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
        const response = new proto.UpdateResponse().setRefreshBeforeUpdate(isRefreshedFirst(news));
        if (request.getPreview()) return response.setProperties(previewStruct(handlers.preview(olds, news)));
        const outputs = await handlers.update(request.getId(), olds, news, request.getUrn());
        return response.setProperties(outputStruct(outputs));
      }),
      read: this.#method(
        (request: proto.ReadRequest) => this.#read(request),
        (request) => ({
          lastUp: true,
          refreshesFirst: isRefreshedFirst(fromStruct(request.getProperties())),
        }),
      ),
      // Lists webhooks for `pulumi do partners:PartnerWebhookState list`. The CLI asks for one page, and
      // applies `--count` itself.
      list: (call: grpc.ServerWritableStream<proto.ListRequest, proto.ListResponse>) => {
        const { state } = fromStruct(call.request.getQuery());
        this.#host
          .handleCall("", async () => this.#host.handlers.listResources(stateFilter(state)))
          .then(
            (listed) => {
              for (const { id, name } of listed)
                call.write(
                  new proto.ListResponse().setResult(new proto.ListResponse.Result().setId(id).setName(name)),
                );
              call.end();
            },
            (error: unknown) => {
              call.emit("error", this.#statusOf(error));
            },
          );
      },
      delete: this.#method(
        async (request: proto.DeleteRequest) => {
          await this.#handlersOf(request.getUrn()).delete(fromStruct(request.getProperties()));
          return new Empty();
        },
        () => ({ lastUp: true, deletes: true }),
      ),
    };
  }

  #handlersOf(urn: string): ResourceHandlers {
    const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
    const registration = RESOURCES.find(({ nativeToken }) => nativeToken === type);
    if (registration) return this.#host.handlers[registration.handlers];
    const known = RESOURCES.map(({ nativeToken }) => nativeToken);
    throw new ResourceError({ kind: "unknownToken", token: type, known });
  }

  #checkConfig(request: proto.CheckRequest): proto.CheckResponse {
    this.#isCurrent = true; // Without a program, the engine calls only `configure`.
    const news = fromStruct(request.getNews());
    const inputs = checkedProviderInputs(request.getUrn(), news);
    this.#host.plugin.configure(configSource(inputs));
    for (const name of unknownSettings(news)) this.#host.plugin.warn({ kind: "unknownSetting", name });
    const response = new proto.CheckResponse().setInputs(toStruct(inputs, ["accessToken"]));
    try {
      // Values that are not known yet cannot be checked here; the checks of the resources report them later.
      if (!JSON.stringify(inputs).includes(UNKNOWN)) this.#host.plugin.readSettings();
    } catch (error) {
      response.setFailuresList([checkFailure(this.#host.describeError(error))]);
    }
    return response;
  }

  #diff(request: proto.DiffRequest): proto.DiffResponse {
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    const response = new proto.DiffResponse().setHasdetaileddiff(true);
    try {
      const { changes, replaces } = this.#handlersOf(request.getUrn()).diff(olds, news);
      if (!changes) return response.setChanges(NONE);
      response.setReplacesList(replaces);
    } catch {
      return response.setChanges(SOME); // `update` reads the actual state itself and can report the error.
    }
    // The engine itself compares the members of these inputs. Without the names, `pulumi do` would compare
    // outputs.
    const [details, oldInputs] = [response.getDetaileddiffMap(), fromStruct(request.getOldInputs())];
    for (const name of Object.keys({ ...oldInputs, ...news })) {
      const kind = changeOf(oldInputs[name] ?? null, news[name] ?? null);
      if (kind !== null) details.set(name, new proto.PropertyDiff().setKind(kind).setInputdiff(true));
    }
    return response.setChanges(SOME);
  }

  async #read(request: proto.ReadRequest): Promise<proto.ReadResponse> {
    const handlers = this.#handlersOf(request.getUrn());
    const olds = fromStruct(request.getProperties());
    // The provider stores an account with every resource. Without one, this is an import, or a `get` in the
    // program.
    const isAdopted = olds["account"] === undefined;
    const found = await (isAdopted ? handlers.adopt(request.getId()) : handlers.read(olds));
    if (found === null) return new proto.ReadResponse().setId("");
    const { id, inputs = fromStruct(request.getInputs()), outputs } = { id: request.getId(), ...found };
    return new proto.ReadResponse()
      .setId(id)
      .setInputs(toStruct(inputs))
      .setProperties(outputStruct(outputs))
      .setRefreshBeforeUpdate(isRefreshedFirst(outputs));
  }

  /**
   * Implements a method of the service.
   *
   * @param callOf Returns what the message for an error must know about a request.
   */
  #method<Request extends object, Response>(
    handle: (request: Request) => Response | Promise<Response>,
    callOf: (request: Request) => CallContext = () => ({}),
  ): grpc.handleUnaryCall<Request, Response> {
    return ({ request }, callback) => {
      const resource = request as { getUrn?(): string; getTimeout?(): number };
      const urn = resource.getUrn?.() ?? "";
      this.#host
        .handleCall(urn, async () => handle(request), resource.getTimeout?.())
        .then(
          (response) => {
            callback(null, response);
          },
          (error: unknown) => {
            callback(this.#statusOf(error, urn, callOf(request)));
          },
        );
    };
  }

  /**
   * Converts anything thrown into a status with our own message, because foreign messages may contain
   * anything.
   */
  #statusOf(error: unknown, urn = "", call: CallContext = {}): Partial<grpc.StatusObject> {
    const reason = error instanceof PartialFailure ? error.reason : error;
    const lastUp = call.lastUp === true && !this.#isCurrent;
    const details = this.#host.describeError(reason, { ...call, lastUp }, urn);
    if (!(error instanceof PartialFailure)) return { code: grpc.status.UNKNOWN, details };
    const { id, properties } = error;
    const failed = new proto.ErrorResourceInitFailed()
      .setId(id)
      .setProperties(outputStruct(properties))
      .setRefreshBeforeUpdate(isRefreshedFirst(properties))
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

const { DIFF_SOME: SOME, DIFF_NONE: NONE } = proto.DiffResponse.DiffChanges;

/** The result of a function, already serialized. */
class ReturnResponse extends proto.InvokeResponse {
  readonly #bytes: Buffer;

  /** @param bytes The field `return`. */
  constructor(bytes: Buffer) {
    super();
    this.#bytes = bytes;
  }

  override serializeBinary(): Uint8Array {
    return this.#bytes;
  }
}

/**
 * Creates a failure without a property name: the engine would print the property's value, even if it is a
 * secret.
 */
function checkFailure(reason: string): proto.CheckFailure {
  return new proto.CheckFailure().setReason(reason);
}

/** Writes outputs. Only those of a preview may be unknown: the engine would not store them. */
function outputStruct(outputs: Properties): Struct {
  return previewStruct(withoutSpecialValues(outputs) as Properties);
}

/** Writes the outputs of a preview, which may be unknown. */
function previewStruct(outputs: Properties): Struct {
  return toStruct(outputs, SECRET_OUTPUTS);
}

/** Returns how a property changes; `null` if it does not. */
function changeOf(before: unknown, after: unknown): proto.PropertyDiff.Kind | null {
  if (JSON.stringify(before) === JSON.stringify(after)) return null;
  if (before === null) return proto.PropertyDiff.Kind.ADD;
  return after === null ? proto.PropertyDiff.Kind.DELETE : proto.PropertyDiff.Kind.UPDATE;
}

/** Returns the state that listed webhooks must be in; `undefined` for any. */
function stateFilter(state: unknown): WebhookState | undefined {
  if (state == null) return undefined;
  if (isState(state)) return state;
  const token = typeof state === "string" ? state : "";
  throw new ResourceError({ kind: "unknownToken", token, known: STATES });
}
