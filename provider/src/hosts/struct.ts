import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";

import { withoutUndefined, type Properties } from "../adapter/properties.js";
import type { MaskedText } from "../partner-api/known-secrets.js";
import { unmarkSecrets } from "./secret-marks.js";

/** Reads properties, without marks of secrets and without what only the dynamic host needs in the state. */
export function fromStruct(message: Struct | undefined): Properties {
  const members = Object.entries(message?.toJavaScript() ?? {}).filter(
    ([name]) => name !== "__provider" && name !== "__urn",
  );
  return unmarkSecrets(Object.fromEntries(members)) as Properties;
}

/** Writes properties into a message. */
export function toStruct(properties: Properties): Struct {
  return Struct.fromJavaScript(withoutUndefined(properties) as Parameters<typeof Struct.fromJavaScript>[0]);
}

/** Without a property name: the engine would print the property's value, even if it is a secret. */
export function checkFailure(reason: MaskedText): proto.CheckFailure {
  return new proto.CheckFailure().setReason(reason);
}
