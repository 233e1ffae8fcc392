import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { startSandbox } from "pulumi-partners/sandbox";
import { expect, it, onTestFinished } from "vitest";

import { sandboxStack } from "./support.ts";

interface Held {
  readonly urn: string;
  readonly type: string;
  readonly outputs: { readonly account: string; readonly stateOnDestroy?: string };
}

const OTHERS = {
  eu: ["eu", "leave"],
  empty: ["default", "leave"],
  child: ["US", "active"],
  childKey: ["US", null],
};

// The program foretells them, for speed: what the handlers have written must be the same.
it.each([
  ["default", {}],
  ["production", { "partners:account": { value: "production" } }],
])("account and stateOnDestroy are in a program what they are in the state: %s", async (home, config) => {
  const other = await startSandbox({ webhooks: [{ webhookId: 101, state: "active" }] });
  onTestFinished(() => other.close());
  const { stack } = await sandboxStack(
    () => {
      const login = { baseUrl: other.url, accessToken: other.accessToken };
      const [eu, empty, us] = [
        new partners.Provider("eu", login),
        new partners.Provider("empty", { ...login, account: "" }),
        new partners.Provider("us", { ...login, account: pulumi.output("US") }),
      ];
      const parent = new pulumi.ComponentResource("test:index:Parent", "parent", {}, { providers: [us] });
      const args = { webhookId: 101, state: "active" } as const;
      const resources = [
        new partners.PartnerWebhookState("plain", args),
        new partners.PartnerWebhookState("restored", { ...args, webhookId: 102, stateOnDestroy: "restore" }),
        new partners.PartnerApiKey("key"),
        new partners.PartnerWebhookState("eu", args, { provider: eu }),
        new partners.PartnerWebhookState("empty", args, { provider: empty }),
        new partners.PartnerWebhookState(
          "child",
          { ...args, stateOnDestroy: pulumi.output("active") },
          { parent },
        ),
        new partners.PartnerApiKey("childKey", {}, { parent }),
      ];
      const outputs = resources.map((resource) => {
        const onDestroy = resource instanceof partners.PartnerApiKey ? null : resource.stateOnDestroy;
        return pulumi.all([resource.urn, resource.account, onDestroy]);
      });
      return Promise.resolve({ foretold: outputs });
    },
    {},
    { config },
  );
  expect(await stack.up()).toMatchObject({ ok: true });
  const { foretold } = (await stack.outputs()) as { foretold: [string, string, string | null][] };
  const named = foretold.map(([urn, ...values]) => [urn.split("::").at(-1), values]);
  const here = { plain: [home, "leave"], restored: [home, "restore"], key: [home, null] };
  expect(Object.fromEntries(named)).toEqual({ ...here, ...OTHERS });

  const { resources } = (await stack.exportStack()).deployment as { resources: Held[] };
  const held = resources.filter(({ type }) => type.includes("dynamic/partners:"));
  const written = held.map(({ urn, outputs }) => [urn, outputs.account, outputs.stateOnDestroy ?? null]);
  expect(new Set(foretold)).toEqual(new Set(written));
});
