import { expect, it } from "vitest";

import { ResourceError } from "../../../provider/src/shared/problems.js";
import { renderError } from "../../../provider/src/messages/error-messages.js";
import { failureOf, sandboxFor } from "../api/support.ts";
import { startRun } from "./support.ts";

const OLD_KEY = "old_key_0123456789abcdef";

it.each([
  ["partnerWebhookState", "999", /999 does not exist.*101, 102, 103/],
  ["partnerWebhookState", "orders", /positive whole number/],
  ["partnerWebhookStates", "eu", /its account: "default"/],
  ["partnerApiKey", "env:NO_SUCH", /NO_SUCH is not set/],
  ["partnerApiKey", "env:SPACED", /SPACED is not set, or holds no key/],
  ["partnerApiKey", OLD_KEY, /"env:"/],
  ["partnerApiKey", `env:${OLD_KEY}`, /\*\*\* is not set/],
] as const)(
  "an import of a %s as %j fails, and its error does not contain a key",
  async (kind, id, expected) => {
    const run = startRun(await sandboxFor(), {}, { env: { SPACED: `${OLD_KEY} ` } });
    const error = await failureOf(run[kind].adopt(id));
    expect(error).toBeInstanceOf(ResourceError);
    expect(renderError(error)).toMatch(expected);
    expect(renderError(error)).not.toContain(OLD_KEY);
  },
);
