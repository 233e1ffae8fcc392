import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";

import { isState, STATES, type WebhookState } from "../api/operations.js";
import { withoutSpecialValues, type Properties, type ResourceName } from "../shared/properties.js";
import { ResourceError } from "../shared/problems.js";
import { isAdoption, isRefreshedFirst, type ResourceAdapter } from "../shared/resource-adapter.js";
import { RESOURCES, SECRET_OUTPUTS } from "../registration.js";
import { checkFailure } from "./native-configuration.js";
import type { PluginHost } from "./plugin-host.js";
import { fromStruct, toStruct } from "./struct.js";

const { DIFF_SOME: SOME, DIFF_NONE: NONE } = proto.DiffResponse.DiffChanges;

/** The calls of the engine about resources: what each request means to the handlers, and their results. */
export class NativeResources {
  readonly #host: PluginHost;

  constructor(host: PluginHost) {
    this.#host = host;
  }

  async check(request: proto.CheckRequest): Promise<proto.CheckResponse> {
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    const { inputs, reasons } = await this.#host.check(this.#handlersOf(request), olds, news);
    return new proto.CheckResponse().setInputs(toStruct(inputs)).setFailuresList(reasons.map(checkFailure));
  }

  diff(request: proto.DiffRequest): proto.DiffResponse {
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    const response = new proto.DiffResponse().setHasdetaileddiff(true);
    try {
      const { changes, replaces } = this.#handlersOf(request).diff(olds, news, nameOf(request));
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

  async create(request: proto.CreateRequest): Promise<proto.CreateResponse> {
    const handlers = this.#handlersOf(request);
    const inputs = fromStruct(request.getProperties());
    if (request.getPreview())
      return new proto.CreateResponse().setProperties(previewStruct(handlers.preview(null, inputs)));
    const { id, outputs } = await handlers.create(inputs, request.getUrn());
    return new proto.CreateResponse()
      .setId(id)
      .setProperties(outputStruct(outputs))
      .setRefreshBeforeUpdate(isRefreshedFirst(outputs));
  }

  async read(request: proto.ReadRequest): Promise<proto.ReadResponse> {
    const handlers = this.#handlersOf(request);
    const olds = fromStruct(request.getProperties());
    const found = await (isAdoption(olds) ? handlers.adopt(request.getId()) : handlers.read(olds));
    if (found === null) return new proto.ReadResponse().setId("");
    const { id, inputs = fromStruct(request.getInputs()), outputs } = { id: request.getId(), ...found };
    return new proto.ReadResponse()
      .setId(id)
      .setInputs(toStruct(inputs))
      .setProperties(outputStruct(outputs))
      .setRefreshBeforeUpdate(isRefreshedFirst(outputs));
  }

  async update(request: proto.UpdateRequest): Promise<proto.UpdateResponse> {
    const handlers = this.#handlersOf(request);
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    const response = new proto.UpdateResponse().setRefreshBeforeUpdate(isRefreshedFirst(news));
    if (request.getPreview()) return response.setProperties(previewStruct(handlers.preview(olds, news)));
    const outputs = await handlers.update(request.getId(), olds, news, request.getUrn());
    return response.setProperties(outputStruct(outputs));
  }

  async delete(request: proto.DeleteRequest): Promise<Empty> {
    await this.#handlersOf(request).delete(fromStruct(request.getProperties()), nameOf(request));
    return new Empty();
  }

  /**
   * Lists webhooks for `pulumi do partners:PartnerWebhookState list`. The CLI asks for one page, and applies
   * `--count` itself.
   */
  async list(request: proto.ListRequest): Promise<proto.ListResponse[]> {
    const { state } = fromStruct(request.getQuery());
    const listed = await this.#host.handlers.listResources(stateFilter(state));
    return listed.map(({ id, name }) =>
      new proto.ListResponse().setResult(new proto.ListResponse.Result().setId(id).setName(name)),
    );
  }

  #handlersOf(request: { getUrn(): string }): ResourceAdapter {
    const token = request.getUrn().split("::")[2]?.split("$").at(-1) ?? "";
    // A stack that moves back may have replaced a resource, which has its new type until it is deleted.
    const registration = RESOURCES.find(({ nativeToken, type }) => [nativeToken, type].includes(token));
    if (registration) return this.#host.handlers[registration.handlers];
    const known = RESOURCES.map(({ nativeToken }) => nativeToken);
    throw new ResourceError({ kind: "unknownToken", token, known });
  }
}

function nameOf(request: { getId(): string; getUrn(): string }): ResourceName {
  return { id: request.getId(), urn: request.getUrn() };
}

/** Writes outputs. Only those of a preview may be unknown: the engine would not store them. */
export function outputStruct(outputs: Properties): Struct {
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
