/**
 * How the engine reaches the handlers through a plugin of its own, for programs in every language of Pulumi. It speaks the
 * engine's protocol and does not load the SDK, which takes longer than most operations.
 */
import { writeSync } from "node:fs";

import * as grpc from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { Any } from "google-protobuf/google/protobuf/any_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";

import { PartialFailure, type Properties, type ResourceHandlers } from "../handlers/contract.js";
import { createHandlers, type PartnerHandlers } from "../handlers/create-handlers.js";
import { listWebhooks } from "../handlers/partner-webhooks.js";
import { PluginProcess } from "../handlers/process.js";
import { SECRET_OUTPUTS } from "../registration.js";
import { EngineLog } from "./engine-log.js";
import { Lifetime } from "./lifetime.js";
import { renderError, renderNotice, renderProgress, renderWait, type Terms } from "./messages.js";
import { changedProperties } from "./property-diff.js";
import {
  checkedProviderInputs,
  configSource,
  diffProviderInputs,
  hasUnknown,
  unknownSettings,
} from "./provider-inputs.js";
import { asSecret, fromStruct, toStruct, withSecrets } from "./struct.js";
import { answerCheck } from "./wire.js";

/** What the plugin is, as its package says. */
export interface PluginPackage {
  /** As in package.json: `0.1.0`. */
  readonly version: string;
  /** The contents of schema.json. */
  readonly schema: object;
}

/** The SDK's own limit, 400 MB: gRPC's default of 4 MB is less than a list of webhooks may take. */
const MAX_MESSAGE = 400 * 1024 * 1024;

/**
 * Serves the engine until it ends the process.
 *
 * @param engine Where the engine listens, as host and port: the last argument of the process.
 */
export function serve(pluginPackage: PluginPackage, engine = ""): void {
  if (!/:\d+$/.test(engine)) {
    process.stderr.write(
      "This is a plugin of Pulumi, which starts it when needed: see the README of pulumi-partners.\n",
    );
    process.exitCode = 1;
    return;
  }
  const host = new NativeHost(pluginPackage, engine);
  const server = new grpc.Server({ "grpc.max_receive_message_length": MAX_MESSAGE });
  // Methods that are not there are answered UNIMPLEMENTED, as the engine expects.
  server.addService(providerGrpc.ResourceProviderService, host.methods());
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    writeSync(1, `${port}\n`); // The engine waits for this line; a stream takes longer.
    host.watch(engine);
  });
}

class NativeHost {
  readonly #package: PluginPackage;
  readonly #lifetime = new Lifetime();
  readonly #log: EngineLog;
  readonly #plugin: PluginProcess;
  readonly #handlers: PartnerHandlers;
  readonly #told = new Set<string>();
  /** Whether a program runs, so that the settings are those of now, also in a destroy or refresh. */
  #hasProgram = false;

  constructor(pluginPackage: PluginPackage, engine: string) {
    this.#package = pluginPackage;
    this.#log = new EngineLog(engine, () => grpc);
    this.#plugin = new PluginProcess({
      signal: this.#lifetime.signal,
      warn: (notice) => {
        this.#log.warn(renderNotice(notice, this.#terms()));
      },
      progress: (progress) => {
        this.#log.status(renderProgress(progress, false));
      },
      onWait: (wait) => {
        this.#log.status(renderWait(wait));
      },
    });
    this.#handlers = createHandlers(this.#plugin);
  }

  /** Ends the process when the engine says so, or is gone. */
  watch(engine: string): void {
    this.#lifetime.watch(engine, () => this.#plugin.pendingOperations);
  }

  methods(): grpc.UntypedServiceImplementation {
    const { version, schema } = this.#package;
    return {
      getPluginInfo: this.#answer(() => new PluginInfo().setVersion(version)),
      getSchema: this.#answer(() => new proto.GetSchemaResponse().setSchema(JSON.stringify(schema))),
      attach: this.#answer(() => new Empty()),
      cancel: this.#answer(() => {
        this.#lifetime.cancel();
        return new Empty();
      }),

      checkConfig: this.#about((request: proto.CheckRequest) => this.#checkConfig(request)),
      diffConfig: this.#answer((request: proto.DiffRequest) => {
        const { changed, replaces } = diffProviderInputs(
          fromStruct(request.getOlds()),
          fromStruct(request.getNews()),
        );
        return new proto.DiffResponse()
          .setChanges(changed.length > 0 ? SOME : NONE)
          .setDiffsList(changed)
          .setReplacesList(replaces);
      }),
      configure: this.#answer((request: proto.ConfigureRequest) => {
        this.#plugin.configure(configSource(fromStruct(request.getArgs())));
        // Without acceptSecrets the engine passes plain values, and marks what came from a secret itself.
        return new proto.ConfigureResponse().setSupportspreview(true);
      }),
      invoke: this.#answer((request: proto.InvokeRequest) => this.#invoke(request)),

      check: this.#about(async (request: proto.CheckRequest) => {
        const urn = request.getUrn();
        const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
        const { inputs, reasons } = await answerCheck(
          () => this.#of(urn).check(olds, news, urn),
          news,
          this.#terms({ urn }),
        );
        return new proto.CheckResponse().setInputs(toStruct(inputs)).setFailuresList(reasons.map(failure));
      }),
      diff: this.#about((request: proto.DiffRequest) => this.#diff(request)),
      create: this.#about(async (request: proto.CreateRequest) => {
        const handlers = this.#of(request.getUrn());
        const inputs = fromStruct(request.getProperties());
        const { id, outputs } = request.getPreview()
          ? { id: "", outputs: handlers.preview(null, inputs) }
          : await handlers.create(inputs);
        return new proto.CreateResponse().setId(id).setProperties(outputStruct(outputs));
      }),
      update: this.#about(async (request: proto.UpdateRequest) => {
        const handlers = this.#of(request.getUrn());
        const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
        const outputs = request.getPreview()
          ? handlers.preview(olds, news)
          : await handlers.update(request.getId(), olds, news);
        return new proto.UpdateResponse().setProperties(outputStruct(outputs));
      }),
      read: this.#about((request: proto.ReadRequest) => this.#read(request), true),
      delete: this.#about(async (request: proto.DeleteRequest) => {
        await this.#of(request.getUrn()).delete(fromStruct(request.getProperties()));
        return new Empty();
      }, true),
    };
  }

  #terms(about: Pick<Terms, "urn" | "lastUp"> = {}): Terms {
    const { account, isExplicit } = this.#plugin;
    return { explicit: isExplicit, told: this.#told, ...(isExplicit && { account }), ...about };
  }

  /** The handlers of the type that a URN names. */
  #of(urn: string): ResourceHandlers {
    const type = urn.split("::")[2]?.split("$").at(-1);
    switch (type) {
      case "partners:index:PartnerApiKey":
        return this.#handlers.partnerApiKey;
      case "partners:index:PartnerWebhookState":
        return this.#handlers.partnerWebhookState;
      case "partners:index:PartnerWebhookStates":
        return this.#handlers.partnerWebhookStates;
    }
    throw new Error("unknown type");
  }

  #checkConfig(request: proto.CheckRequest): proto.CheckResponse {
    this.#hasProgram = true; // Without one, the engine only configures.
    const news = fromStruct(request.getNews());
    const inputs = checkedProviderInputs(request.getUrn(), news);
    this.#plugin.configure(configSource(inputs));
    for (const name of unknownSettings(news)) this.#plugin.warn({ kind: "unknownSetting", name });
    const response = new proto.CheckResponse().setInputs(toStruct(withSecrets(inputs, ["accessToken"])));
    // What is not known yet cannot be judged; the resources' checks come later.
    if (hasUnknown(inputs)) return response;
    try {
      this.#plugin.settings();
      return response;
    } catch (error) {
      return response.setFailuresList([failure(renderError(error, this.#terms()))]);
    }
  }

  async #invoke(request: proto.InvokeRequest): Promise<proto.InvokeResponse> {
    if (request.getTok() !== "partners:index:getPartnerWebhooks") throw new Error("unknown function");
    const webhooks = await listWebhooks(this.#plugin);
    // Records may hold secrets, such as one for signatures.
    return new proto.InvokeResponse().setReturn(toStruct({ webhooks: asSecret(webhooks) }));
  }

  #diff(request: proto.DiffRequest): proto.DiffResponse {
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    const response = new proto.DiffResponse().setHasdetaileddiff(true);
    let difference;
    try {
      difference = this.#of(request.getUrn()).diff(olds, news);
    } catch {
      return response.setChanges(SOME); // `update` observes by itself, and can say what is wrong.
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
    const handlers = this.#of(request.getUrn());
    const olds = fromStruct(request.getProperties());
    // Every state of ours has an account. Without one, a person imports or gets what exists.
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

  /** A method of the service. Whatever it throws becomes a sentence, as messages of others may repeat anything. */
  #answer<Request, Response>(
    handle: (request: Request) => Response | Promise<Response>,
    about: (request: Request) => Pick<Terms, "urn" | "lastUp"> = () => ({}),
  ): grpc.handleUnaryCall<Request, Response> {
    return ({ request }, callback) => {
      const answer = this.#lifetime.answer(async () => handle(request));
      answer.then(
        (response) => {
          callback(null, response);
        },
        (error: unknown) => {
          callback(statusOf(error, this.#terms(about(request))));
        },
      );
    };
  }

  /** A method about one resource, which messages name. @param lastUp Whether the settings may be those of the last `up`. */
  #about<Request extends { getUrn(): string }, Response>(
    handle: (request: Request) => Response | Promise<Response>,
    lastUp = false,
  ): grpc.handleUnaryCall<Request, Response> {
    return this.#answer(
      (request) => this.#log.about(request.getUrn(), async () => handle(request)),
      (request) => ({ urn: request.getUrn(), lastUp: lastUp && !this.#hasProgram }),
    );
  }
}

function statusOf(error: unknown, terms: Terms): Partial<grpc.StatusObject> {
  if (!(error instanceof PartialFailure))
    return { code: grpc.status.UNKNOWN, details: renderError(error, terms) };
  const { id, properties, reason } = error;
  const message = renderError(reason, terms);
  const failed = new proto.ErrorResourceInitFailed()
    .setId(id)
    .setProperties(outputStruct(properties))
    .setReasonsList([message]); // The engine prints these and not the message.
  const detail = new Any();
  detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new Status().setCode(grpc.status.UNKNOWN).setMessage(message).setDetailsList([detail]);
  const metadata = new grpc.Metadata();
  // Go's gRPC reads structured errors from this header.
  metadata.set("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  return { code: grpc.status.UNKNOWN, details: message, metadata };
}

const { DIFF_SOME: SOME, DIFF_NONE: NONE } = proto.DiffResponse.DiffChanges;

const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = proto.PropertyDiff.Kind;
/** What a changed property is called, and where it replaces the resource. */
const KINDS = {
  add: [ADD, ADD_REPLACE],
  delete: [DELETE, DELETE_REPLACE],
  update: [UPDATE, UPDATE_REPLACE],
} as const;

/** Names no property, because the engine prints the value of one that is named, secret or not. */
function failure(reason: string): proto.CheckFailure {
  return new proto.CheckFailure().setReason(reason);
}

function outputStruct(outputs: Properties): ReturnType<typeof toStruct> {
  return toStruct(withSecrets(outputs, SECRET_OUTPUTS));
}
