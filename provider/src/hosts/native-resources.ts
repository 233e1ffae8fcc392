import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";

import { partsOf, type Properties, type ResourceName } from "../adapter/properties.js";
import type { ResourceAdapter } from "../adapter/resource-adapter.js";
import { PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOKS, RESOURCES, SECRET_OUTPUTS } from "../registration.js";
import { cannotList, unknownToken } from "./host-messages.js";
import type { PluginHost } from "./plugin-host.js";
import { markSecrets, toOutputs } from "./secret-marks.js";
import { checkFailure, fromStruct, toStruct } from "./struct.js";

const { DIFF_SOME: SOME, DIFF_NONE: NONE } = proto.DiffResponse.DiffChanges;

/** The calls of the engine about resources: what each request means to the handlers, and their results. */
export class NativeResources {
  readonly #host: PluginHost;

  constructor(host: PluginHost) {
    this.#host = host;
  }

  async check(request: proto.CheckRequest): Promise<proto.CheckResponse> {
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    const { inputs, problems } = await this.#host.check(this.#resourceOf(request), olds, news);
    return new proto.CheckResponse().setInputs(toStruct(inputs)).setFailuresList(problems.map(checkFailure));
  }

  diff(request: proto.DiffRequest): proto.DiffResponse {
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    const response = new proto.DiffResponse().setHasdetaileddiff(true);
    const resource = this.#resourceOf(request);
    const { changes, replaces } = this.#host.diff(resource, olds, news, nameOf(request));
    if (!changes) return response.setChanges(NONE);
    response.setReplacesList(replaces);
    // The engine compares the members of these inputs. Without the names, `pulumi do` would compare outputs.
    const [details, oldInputs] = [response.getDetaileddiffMap(), fromStruct(request.getOldInputs())];
    for (const name of Object.keys({ ...oldInputs, ...news })) {
      const kind = changeOf(oldInputs[name] ?? null, news[name] ?? null);
      if (kind !== null) details.set(name, new proto.PropertyDiff().setKind(kind).setInputdiff(true));
    }
    return response.setChanges(SOME);
  }

  async create(request: proto.CreateRequest): Promise<proto.CreateResponse> {
    const resource = this.#resourceOf(request);
    const inputs = fromStruct(request.getProperties());
    const response = new proto.CreateResponse();
    if (request.getPreview()) return response.setProperties(previewStruct(resource.preview(null, inputs)));
    const { id, outputs } = await resource.create(inputs, request.getUrn());
    return response.setId(id).setProperties(outputStruct(outputs));
  }

  async read(request: proto.ReadRequest): Promise<proto.ReadResponse> {
    const resource = this.#resourceOf(request);
    const olds = fromStruct(request.getProperties());
    const found = await this.#host.read(resource, request.getId(), olds, isExistenceCheck(request.getUrn()));
    if (found === null) return new proto.ReadResponse().setId("");
    const { inputs = fromStruct(request.getInputs()), outputs } = found;
    return new proto.ReadResponse()
      .setId(request.getId())
      .setInputs(toStruct(inputs))
      .setProperties(outputStruct(outputs));
  }

  async update(request: proto.UpdateRequest): Promise<proto.UpdateResponse> {
    const resource = this.#resourceOf(request);
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    const response = new proto.UpdateResponse();
    if (request.getPreview()) return response.setProperties(previewStruct(resource.preview(olds, news)));
    return response.setProperties(outputStruct(await resource.update(olds, news, nameOf(request))));
  }

  async delete(request: proto.DeleteRequest): Promise<Empty> {
    await this.#resourceOf(request).delete(fromStruct(request.getProperties()), nameOf(request));
    return new Empty();
  }

  async invoke(request: proto.InvokeRequest): Promise<proto.InvokeResponse> {
    const { nativeToken } = PARTNER_WEBHOOKS;
    if (request.getTok() !== nativeToken) throw unknownToken(request.getTok(), [nativeToken]);
    const webhooks = await this.#host.handlers.listWebhooks();
    return new proto.InvokeResponse().setReturn(toStruct(markSecrets({ webhooks }, SECRET_OUTPUTS)));
  }

  /** Lists the IDs to import, without records, which may contain secrets. */
  async list(request: proto.ListRequest): Promise<proto.ListResponse[]> {
    if (request.getToken() !== PARTNER_WEBHOOK_STATE.nativeToken) throw cannotList(request.getToken());
    const webhooks = await this.#host.handlers.listWebhooks();
    return webhooks.slice(0, request.getLimit() || undefined).map(({ webhookId }) => {
      return new proto.ListResponse().setResult(new proto.ListResponse.Result().setId(String(webhookId)));
    });
  }

  #resourceOf(request: { getUrn(): string }): ResourceAdapter {
    const token = partsOf(request.getUrn()).type.replace(/^.*\$/, "");
    const registration = RESOURCES.find(({ nativeToken }) => nativeToken === token);
    if (registration) return this.#host.handlers[registration.exportName];
    const known = RESOURCES.map(({ nativeToken }) => nativeToken);
    throw unknownToken(token, known);
  }
}

/** Writes outputs that the engine stores. */
export function outputStruct(outputs: Properties): Struct {
  return toStruct(toOutputs(outputs));
}

/** Writes outputs of a preview, of which some may be unknown. */
function previewStruct(outputs: Properties): Struct {
  return toStruct(markSecrets(outputs, SECRET_OUTPUTS));
}

function nameOf(request: { getId(): string; getUrn(): string }): ResourceName {
  return { id: request.getId(), urn: request.getUrn() };
}

/** Whether a program only asks whether a resource exists (pulumi, pkg/resource/deploy/source_eval.go). */
function isExistenceCheck(urn: string): boolean {
  return /::__exists__[0-9]+$/.test(urn);
}

/** Returns how a property changes; `null` if it does not. */
function changeOf(before: unknown, after: unknown): proto.PropertyDiff.Kind | null {
  if (JSON.stringify(before) === JSON.stringify(after)) return null;
  if (before === null) return proto.PropertyDiff.Kind.ADD;
  return after === null ? proto.PropertyDiff.Kind.DELETE : proto.PropertyDiff.Kind.UPDATE;
}
