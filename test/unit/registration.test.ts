import { expect, it } from "vitest";

import * as registration from "../../provider/src/resources/registration.js";
import * as plugin from "../../provider/src/plugin/index.js";

// These strings stand in users' state. A change here is a major version: old resources could no longer be deleted.
it("what is written into users' state never changes", () => {
  expect({ ...registration }).toEqual({
    PARTNER_API_KEY: {
      type: "pulumi-nodejs:dynamic/partners:PartnerApiKey",
      __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerApiKey',
    },
    PARTNER_WEBHOOK_STATE: {
      type: "pulumi-nodejs:dynamic/partners:PartnerWebhookState",
      __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerWebhookState',
    },
    PARTNER_WEBHOOKS: {
      type: "pulumi-nodejs:dynamic/partners:PartnerWebhooks",
      __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerWebhooks',
    },
  });
  expect(Object.keys(plugin).sort()).toEqual(["partnerApiKey", "partnerWebhookState", "partnerWebhooks"]);
});

it("what is written into users' state is short, as it is written twice for every resource", () => {
  const { PARTNER_API_KEY, PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOKS } = registration;
  for (const { __provider } of [PARTNER_API_KEY, PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOKS])
    expect(__provider.length).toBeLessThanOrEqual(100);
});
