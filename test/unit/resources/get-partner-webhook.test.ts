import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";

import {
  getPartnerWebhook,
  getPartnerWebhookOutput,
  getPartnerWebhooks,
} from "../../../provider/src/index.js";

const LIST = [
  // As the plugin writes it: the complete URL is only for the search.
  {
    webhookId: 101,
    state: "active",
    url: "https://a.example/in",
    name: "orders",
    record: { id: 101 },
    full: { url: "https://me:pw@a.example/in?key=k", name: "orders" },
  },
  // As a mock may write it.
  { webhookId: 102, name: "refunds" },
];

it("a program finds a webhook in one list, without an engine", async () => {
  const reads: string[] = [];
  await pulumi.runtime.setMocks({
    newResource: ({ type, id }) => {
      reads.push(type);
      return { id: id ?? "", state: { webhooks: JSON.stringify(LIST) } };
    },
    call: () => ({}),
  });
  const first = { webhookId: 101, state: "active", url: "https://a.example/in", name: "orders" };
  expect(await getPartnerWebhook({ url: "https://A.example/in?key=k" })).toEqual(first);
  expect(await getPartnerWebhook({ name: "refunds" })).toMatchObject({ webhookId: 102, url: null });
  const found = getPartnerWebhookOutput({ name: pulumi.output("orders") });
  expect(await new Promise((resolve) => found.apply(resolve))).toEqual(first);
  expect(await (found as unknown as { isSecret: Promise<boolean> }).isSecret).toBe(false);
  await expect(getPartnerWebhook({ url: "https://a.example/in?key=SECRET" })).rejects.toThrow(
    'No webhook has this URL. Existing webhooks: 101 ("orders", a.example/in), 102 ("refunds").',
  );
  await expect(getPartnerWebhook({})).rejects.toThrow("exactly one of them");
  await expect(getPartnerWebhook({ id: 101 } as object)).rejects.toThrow('has no argument "id"');
  const { webhooks } = await getPartnerWebhooks();
  expect(JSON.stringify(webhooks)).not.toContain("full");
  expect(reads).toEqual(["pulumi-nodejs:dynamic/partners:PartnerWebhooks"]);
});
