import { describe, expect, it } from "vitest";

import {
  RequestError,
  SettingsError,
  type PartnerError,
  type RequestFailure,
} from "../../../provider/src/api/errors.js";
import { PluginHost } from "../../../provider/src/hosts/plugin-host.js";
import { PartialFailure } from "../../../provider/src/shared/partial-failure.js";

const URNS = ["orders", "refunds", ""].map(
  (name) => name && `urn:pulumi:dev::shop::partners:index:X::${name}`,
);
const [ORDERS = "", REFUNDS = "", NONE = ""] = URNS;

function refused(changes: Partial<RequestFailure> = {}): RequestError {
  return new RequestError({
    operation: "createApiKey",
    webhookId: null,
    server: "https://partners.example.com",
    cause: { kind: "status", status: 401 },
    mayUseProxy: false,
    effect: "none",
    attempts: 1,
    failedAt: "2026-06-15T12:00:00.000Z",
    requestId: null,
    serverMessage: null,
    ...changes,
  });
}

/** Describes errors in one plugin process. */
function describeAll(...errors: readonly (readonly [error: Error, urn: string])[]): string[] {
  const host = new PluginHost(undefined, () => {
    throw new Error("there is no engine");
  });
  return errors.map(([error, urn]) => host.describeError(error, {}, urn));
}

const POST = "POST https://partners.example.com/api/v1/partners/api-key";
const isWhole = (text: string | undefined): boolean => /The access token was rejected/.test(text ?? "");

describe("a cause that makes many resources fail", () => {
  it("is told whole once; the other messages name the first resource, the request ID and the code", () => {
    const [first, second, third] = describeAll(
      [refused({ requestId: "req-1" }), ORDERS],
      [refused({ requestId: "req-2" }), REFUNDS],
      [refused(), NONE],
    );
    expect(isWhole(first)).toBe(true);
    const short = `${POST}: the server returned 401, as for "orders", whose error says what to do.`;
    expect(second).toBe(`${short} Request ID: req-2. Nothing was changed. [PARTNERS_STATUS]`);
    expect(third).toBe(`${short} Nothing was changed. [PARTNERS_STATUS]`);
  });

  it("is told in short if no resource is known, as when the dynamic host deletes", () => {
    const [first, second] = describeAll([refused(), NONE], [refused(), NONE]);
    expect(isWhole(first)).toBe(true);
    expect(second).toContain("as for another resource, whose error says what to do");
  });

  it("is told whole again in another kind of call, which has another remedy", () => {
    const host = new PluginHost(undefined, () => {
      throw new Error("there is no engine");
    });
    host.describeError(refused(), {}, ORDERS);
    expect(host.describeError(refused(), { lastUp: true }, REFUNDS)).toContain("or add --run-program");
  });

  it("may be a setting", () => {
    const missing = new SettingsError([{ kind: "missing", setting: "baseUrl" }]);
    const [first, second] = describeAll([missing, ORDERS], [missing, REFUNDS]);
    expect(first).toContain("Set partners:baseUrl");
    expect(second).toBe(
      'The settings are not valid, as for "orders", whose error says what to do. Nothing was sent. [PARTNERS_CONFIGURATION]',
    );
  });
});

describe("a message stays whole", () => {
  const kept = (error: PartnerError): PartialFailure => new PartialFailure("id", {}, error);

  it.each<[what: string, first: Error, second: Error, urn: string]>([
    ["if a retry hook repeats the call", refused(), refused(), ORDERS],
    ["in a partial failure, which the engine stores", refused(), kept(refused()), REFUNDS],
    ["if the server said something else", refused(), refused({ serverMessage: "expired" }), REFUNDS],
    ["if a key may exist", refused({ effect: "possible" }), refused({ effect: "possible" }), REFUNDS],
    ["if a person can say that the key is gone", refused(), refused({ goneName: "sha256:0" }), REFUNDS],
  ])("%s", (_what, first, second, urn) => {
    const [, text] = describeAll([first, ORDERS], [second, urn]);
    expect(text).toContain(" The access token was rejected");
    expect(text).not.toContain("as for");
  });
});
