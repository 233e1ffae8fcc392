import fc from "fast-check";

import type { ResponseMapping } from "../../../provider/src/api/responses.js";

/** Every string value below holds this, and no printable name does: where it shows in a message, a value has leaked. */
export const MARKER = "Zq7";

/** Names that the code knows, names that may be data, and names that JavaScript objects have anyway. */
const NAMES = [
  ...[
    "apiKey",
    "api_key",
    "key",
    "token",
    "secret",
    "value",
    "rawKey",
    "id",
    "keyId",
    "data",
    "attributes",
    "result",
  ],
  ...[
    "webhooks",
    "hooks",
    "webhook",
    "webhookId",
    "hookId",
    "items",
    "errors",
    "error",
    "success",
    "links",
    "meta",
  ],
  ...[
    "state",
    "status",
    "active",
    "enabled",
    "disabled",
    "is_active",
    "disabledAt",
    "next",
    "total",
    "hasMore",
    "limit",
  ],
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "length", "", "0", "a/b", "~1"],
  ...[`${MARKER}-name`, MARKER.repeat(9)],
];

const name = fc.constantFrom(...NAMES);

const markedText = fc
  .tuple(
    fc.constantFrom("", "sk_live_", "https://", "2031-05-06T", "Bearer ", "**", "<b>", "\u001b[31m"),
    fc.string({ unit: "binary", maxLength: 24 }),
  )
  .map(([start, end]) => `${start}${MARKER}${end}`);

const scalar = fc.oneof(
  markedText,
  fc.constantFrom("active", "off", "0", "1", "12", ""),
  fc.integer({ min: -1, max: 5 }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);

/** JSON text made of known names, so that the search gets far; written by hand, because a literal cannot have a member `__proto__`. */
export const documents = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar.map((value) => JSON.stringify(value)),
    fc.array(fc.tuple(name, tie("node")), { maxLength: 6 }).map(asObject),
    fc.array(tie("node"), { maxLength: 5 }).map((nodes) => `[${nodes.join(",")}]`),
    // Lists with records alike, or few would get as far as a state.
    fc.array(fc.tuple(fc.integer({ min: 1, max: 99 }), name, tie("node")), { maxLength: 5 }).map(asRecords),
  ),
})).node;

function asObject(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
}

function asRecords(records: readonly (readonly [number, string, string])[]): string {
  return `[${records
    .map(([id, key, value]) =>
      asObject([
        ["id", id.toString()],
        [key, value],
      ]),
    )
    .join(",")}]`;
}

const pointer = fc.oneof(
  fc
    .array(name, { maxLength: 4 })
    .map((names) => names.map((one) => `/${one.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")),
  fc.string({ maxLength: 8 }),
);

/** Mappings, also with members that are no JSON Pointers. */
export const mappings: fc.Arbitrary<ResponseMapping> = fc.record(
  {
    apiKey: pointer,
    apiKeyId: pointer,
    webhooks: pointer,
    webhookId: pointer,
    webhookState: pointer,
    active: fc.array(scalar, { maxLength: 3 }),
    disabled: fc.array(scalar, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
