import { status, type handleServerStreamingCall } from "@grpc/grpc-js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";

import type { WebhookState } from "../api/operations.js";
import { UNKNOWN } from "../handlers/contract.js";
import { ResourceError } from "../handlers/problems.js";
import { PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOK_STATES } from "../registration.js";
import type { PluginHost } from "./plugin-host.js";
import { fromStruct } from "./struct.js";

/** Implements `List`, with which the engine shows existing resources: `pulumi do partners:PartnerWebhookState list`. */
export function listMethod(
  host: PluginHost,
): handleServerStreamingCall<proto.ListRequest, proto.ListResponse> {
  return (call) => {
    const fail = (details: string): void => {
      call.emit("error", { code: status.UNKNOWN, details });
    };
    const state = fromStruct(call.request.getQuery())["state"] ?? undefined;
    if (!isState(state)) {
      fail('state must be "active" or "disabled".');
      return;
    }
    host
      .handleCall("", () => responsesTo(host, call.request, state))
      .then(
        (responses) => {
          for (const response of responses) call.write(response);
          call.end();
        },
        (error: unknown) => {
          fail(host.describeError(error));
        },
      );
  };
}

function isState(state: unknown): state is WebhookState | typeof UNKNOWN | undefined {
  return state === undefined || state === "active" || state === "disabled" || state === UNKNOWN;
}

/** The types that can be listed. */
const TYPES = new Map([
  [PARTNER_WEBHOOK_STATE.nativeToken, "PartnerWebhookState"],
  [PARTNER_WEBHOOK_STATES.nativeToken, "PartnerWebhookStates"],
] as const);

/** @throws {PartnerError} */
async function responsesTo(
  host: PluginHost,
  request: proto.ListRequest,
  state: WebhookState | typeof UNKNOWN | undefined,
): Promise<proto.ListResponse[]> {
  if (state === UNKNOWN) return [new proto.ListResponse().setComputed(new proto.ListResponse.Computed())];
  const token = request.getToken();
  const type = TYPES.get(token);
  if (type === undefined)
    throw new ResourceError({ kind: "unknownToken", what: "listable type", token, known: [...TYPES.keys()] });
  const { page, continuation } = pageOf(await host.handlers.listResources(type, state), request);
  const responses = page.map(({ id, name }) =>
    new proto.ListResponse().setResult(new proto.ListResponse.Result().setId(id).setName(name)),
  );
  if (continuation === "") return responses;
  const next = new proto.ListResponse.Continuation().setContinuationToken(continuation);
  return [...responses, new proto.ListResponse().setContinuation(next)];
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
