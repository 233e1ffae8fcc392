import { status, type handleServerStreamingCall } from "@grpc/grpc-js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";

import type { WebhookState } from "../api/operations.js";
import type { PluginHost } from "./plugin-host.js";
import { hasUnknown } from "./provider-inputs.js";
import { fromStruct } from "./struct.js";

/** Implements `List`, with which the engine shows existing resources: `pulumi do partners:PartnerWebhookState list`. */
export function listMethod(
  host: PluginHost,
): handleServerStreamingCall<proto.ListRequest, proto.ListResponse> {
  return (call) => {
    host
      .handleCall("", () => responsesTo(host, call.request))
      .then(
        (responses) => {
          for (const response of responses) call.write(response);
          call.end();
        },
        (error: unknown) => {
          const details = error instanceof InvalidQuery ? error.message : host.describeError(error);
          call.emit("error", { code: status.UNKNOWN, details });
        },
      );
  };
}

class InvalidQuery extends Error {}

/** @throws {InvalidQuery | PartnerError} */
async function responsesTo(host: PluginHost, request: proto.ListRequest): Promise<proto.ListResponse[]> {
  const query = fromStruct(request.getQuery());
  if (hasUnknown(query)) return [new proto.ListResponse().setComputed(new proto.ListResponse.Computed())];
  const resources = await host.handlers.listResources(typeOf(request), stateOf(query["state"]));
  const { page, continuation } = pageOf(resources, request);
  const responses = page.map(({ id, name }) =>
    new proto.ListResponse().setResult(new proto.ListResponse.Result().setId(id).setName(name)),
  );
  if (continuation === "") return responses;
  const token = new proto.ListResponse.Continuation().setContinuationToken(continuation);
  return [...responses, new proto.ListResponse().setContinuation(token)];
}

function typeOf(request: proto.ListRequest): "PartnerWebhookState" | "PartnerWebhookStates" {
  switch (request.getToken()) {
    case "partners:index:PartnerWebhookState":
      return "PartnerWebhookState";
    case "partners:index:PartnerWebhookStates":
      return "PartnerWebhookStates";
  }
  throw new Error("unknown type");
}

function stateOf(state: unknown): WebhookState | undefined {
  if (state == null || state === "active" || state === "disabled") return state ?? undefined;
  throw new InvalidQuery('state must be "active" or "disabled".');
}

/** Returns the requested page. The continuation token is the number of resources on the pages before; empty on the last page. */
function pageOf<Resource>(
  resources: readonly Resource[],
  request: proto.ListRequest,
): { readonly page: readonly Resource[]; readonly continuation: string } {
  // Below 1, there is no limit. `limit` counts the resources of all pages.
  const [limit, pageSize] = [request.getLimit(), request.getPageSize()].map((size) =>
    size < 1 ? Infinity : size,
  ) as [number, number];
  const start = Number(request.getContinuationToken());
  const end = Math.min(resources.length, limit);
  const next = Math.min(start + pageSize, end);
  return { page: resources.slice(start, next), continuation: next < end ? String(next) : "" };
}
