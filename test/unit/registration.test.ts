import { expect, it } from "vitest";

import * as registration from "../../provider/src/registration.js";
import * as settingNames from "../../provider/src/setting-names.js";
import * as host from "../../provider/src/hosts/dynamic.js";

/** Returns the strings of a resource type or function. */
function strings(name: string, token = name) {
  return {
    type: `pulumi-nodejs:dynamic/partners:${name}`,
    nativeToken: `partners:index:${token}`,
    __provider: `exports.handler=()=>require("pulumi-partners/plugin").p${name.slice(1)}`,
  };
}

// These strings are in users' states and programs: after a change, old resources could not be deleted, so it
// needs a major version.
it("the strings that are written into users' states and programs never change", () => {
  expect(registration).toMatchObject({
    PARTNER_API_KEY: strings("PartnerApiKey"),
    PARTNER_WEBHOOK_STATE: strings("PartnerWebhookState"),
    PARTNER_WEBHOOK_STATES: strings("PartnerWebhookStates"),
    PARTNER_WEBHOOKS: strings("PartnerWebhooks", "getPartnerWebhooks"),
    SECRET_OUTPUTS: ["apiKey", "response", "previousApiKey", "internal", "webhooks"],
  });
  const names = { NAMESPACE: "partners:", ACCOUNT: "account", EXPLICIT: "explicit" };
  expect(settingNames).toMatchObject({ ...names, DEFAULT_ACCOUNT: "default" });
});

it("the dynamic host exports the handlers of every registration", () => {
  const registered = [...registration.RESOURCES, registration.PARTNER_WEBHOOKS].map(
    ({ exportName }) => exportName,
  );
  expect(Object.keys(host).sort()).toEqual(registered.sort());
});
