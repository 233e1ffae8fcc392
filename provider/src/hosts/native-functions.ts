import { InvokeResponse, type InvokeRequest } from "@pulumi/pulumi/proto/provider_pb.js";

import { withoutSpecialValues, type Properties } from "../shared/properties.js";
import type { PartnerHandlers } from "../shared/create-handlers.js";
import { ResourceError } from "../shared/problems.js";
import { FUNCTIONS } from "../registration.js";
import { fromStruct, secretListField, toStruct } from "./struct.js";

/** Performs each function. The compiler asks for each entry of {@link FUNCTIONS}. */
const PERFORM: Readonly<
  Record<
    (typeof FUNCTIONS)[number]["handlers"],
    (handlers: PartnerHandlers, args: Properties) => Promise<InvokeResponse>
  >
> = {
  partnerWebhooks: async (handlers) => {
    const webhooks = await handlers.listWebhooks();
    // Secret, because records may contain secrets, such as a signing secret.
    const list = webhooks.map(({ full: _, ...webhook }) => withoutSpecialValues(webhook));
    return new ReturnResponse(secretListField(1, "webhooks", list));
  },
  partnerWebhook: async (handlers, args) =>
    new InvokeResponse().setReturn(toStruct({ ...(await handlers.findWebhook(args)) })),
};

/** Calls a function. @throws {ResourceError} if there is no such function. */
export async function invoke(handlers: PartnerHandlers, request: InvokeRequest): Promise<InvokeResponse> {
  const token = request.getTok();
  const called = FUNCTIONS.find(({ nativeToken }) => nativeToken === token);
  if (called === undefined) {
    const known = FUNCTIONS.map(({ nativeToken }) => nativeToken);
    throw new ResourceError({ kind: "unknownToken", token, known });
  }
  return PERFORM[called.handlers](handlers, fromStruct(request.getArgs()));
}

/** The result of a function, already serialized. */
class ReturnResponse extends InvokeResponse {
  readonly #bytes: Uint8Array;

  /** @param bytes The field `return`. */
  constructor(bytes: Uint8Array) {
    super();
    this.#bytes = bytes;
  }

  override serializeBinary(): Uint8Array {
    return this.#bytes;
  }
}
