import proto from "@pulumi/pulumi/proto/provider_pb.js";

import type { Properties } from "../handlers/contract.js";
import type { PartnerHandlers } from "../handlers/create-handlers.js";
import { ResourceError } from "../handlers/problems.js";
import { FUNCTIONS } from "../registration.js";
import { toStructField } from "./struct.js";

/** What a function returns. */
interface FunctionResult {
  readonly outputs: Properties;
  /** The names of the outputs that the engine must encrypt. */
  readonly secrets: readonly string[];
}

/** Performs each function. The compiler asks for each entry of {@link FUNCTIONS}. */
const PERFORM: Readonly<
  Record<(typeof FUNCTIONS)[number]["handlers"], (handlers: PartnerHandlers) => Promise<FunctionResult>>
> = {
  partnerWebhooks: async (handlers) => ({
    outputs: { webhooks: await handlers.listWebhooks() },
    secrets: ["webhooks"], // Records may contain secrets, such as a signing secret.
  }),
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
  const { outputs, secrets } = await PERFORM[called.handlers](handlers);
  return new ReturnResponse(toStructField(1, outputs, secrets));
}

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
