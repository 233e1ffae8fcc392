import proto from "@pulumi/pulumi/proto/provider_pb.js";

import { withoutSpecialValues } from "../handlers/contract.js";
import type { PartnerHandlers } from "../handlers/create-handlers.js";
import { ResourceError } from "../handlers/problems.js";
import { FUNCTIONS } from "../registration.js";
import { secretListField } from "./struct.js";

/** What a function returns: a list, in an output that the engine must encrypt. */
interface FunctionResult {
  readonly output: string;
  readonly list: readonly unknown[];
}

/** Performs each function. The compiler asks for each entry of {@link FUNCTIONS}. */
const PERFORM: Readonly<
  Record<(typeof FUNCTIONS)[number]["handlers"], (handlers: PartnerHandlers) => Promise<FunctionResult>>
> = {
  // Secret, because records may contain secrets, such as a signing secret.
  partnerWebhooks: async (handlers) => ({ output: "webhooks", list: await handlers.listWebhooks() }),
};

/** Calls a function. None has arguments. @throws {ResourceError} if there is no such function. */
export async function invoke(
  handlers: PartnerHandlers,
  request: proto.InvokeRequest,
): Promise<proto.InvokeResponse> {
  const token = request.getTok();
  const called = FUNCTIONS.find(({ nativeToken }) => nativeToken === token);
  if (called === undefined) {
    const known = FUNCTIONS.map(({ nativeToken }) => nativeToken);
    throw new ResourceError({ kind: "unknownToken", token, known });
  }
  const { output, list } = await PERFORM[called.handlers](handlers);
  return new ReturnResponse(secretListField(1, output, list.map(withoutSpecialValues)));
}

/** The result of a function, already serialized. */
class ReturnResponse extends proto.InvokeResponse {
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
