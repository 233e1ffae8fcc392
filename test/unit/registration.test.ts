import { expect, it } from "vitest";

import * as registration from "../../provider/src/registration.js";
import * as host from "../../provider/src/hosts/dynamic.js";

// These strings are in users' states and programs: after a change, old resources could not be deleted, so it needs a major version.
it("the strings that are written into users' states and programs never change", () => {
  expect(registration).toMatchObject({
    PARTNER_API_KEY: {
      type: "pulumi-nodejs:dynamic/partners:PartnerApiKey",
      nativeToken: "partners:index:PartnerApiKey",
      __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerApiKey',
    },
    PARTNER_WEBHOOK_STATE: {
      type: "pulumi-nodejs:dynamic/partners:PartnerWebhookState",
      nativeToken: "partners:index:PartnerWebhookState",
      __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerWebhookState',
    },
    PARTNER_WEBHOOK_STATES: {
      type: "pulumi-nodejs:dynamic/partners:PartnerWebhookStates",
      nativeToken: "partners:index:PartnerWebhookStates",
      __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerWebhookStates',
    },
    PARTNER_WEBHOOKS: {
      type: "pulumi-nodejs:dynamic/partners:PartnerWebhooks",
      nativeToken: "partners:index:getPartnerWebhooks",
      __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerWebhooks',
    },
    SECRET_OUTPUTS: ["apiKey", "response", "previousApiKey", "internal"],
    ACCOUNT_KEY: "partners:account",
    EXPLICIT_KEY: "partners:explicit",
    DEFAULT_ACCOUNT: "default",
  });
  expect(Object.keys(host).sort()).toEqual([
    "partnerApiKey",
    "partnerWebhookState",
    "partnerWebhookStates",
    "partnerWebhooks",
  ]);
});
