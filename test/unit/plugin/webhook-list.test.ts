import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";

import type { PartnerClient, WebhookList } from "../../../provider/src/api/client.js";
import { WebhookRegistry } from "../../../provider/src/plugin/webhook-list.js";
import { startSandbox, type Sandbox } from "../../support/sandbox.ts";
import { clientFor } from "../api/support.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** A registry over a sandbox, with a clock of its own. */
async function start(ids = [1, 2, 3]) {
  const sandbox = await startSandbox({ webhooks: ids.map((webhookId) => ({ webhookId, state: "active" })) });
  const clock = { now: 1_000_000 };
  const client = clientFor(sandbox);
  return { sandbox, client, clock, registry: new WebhookRegistry(client, () => clock.now) };
}

function gets({ requests }: Sandbox): number {
  return requests.filter(({ method }) => method === "GET").length;
}

describe("WebhookRegistry", () => {
  it("asks once for all who ask at the same time, and for all who ask within 30 s", async () => {
    const { sandbox, registry, clock } = await start();
    await Promise.all([1, 2, 3, 1].map((id) => registry.find(id)));
    clock.now += 30_000;
    expect(await registry.find(2)).toMatchObject({ webhookId: 2, state: "active" });
    expect(gets(sandbox)).toBe(1);
    clock.now += 1;
    await registry.find(2);
    expect(gets(sandbox)).toBe(2);
    await sandbox.close();
  });

  it("believes its own changes without reading them back", async () => {
    const { sandbox, registry } = await start();
    await registry.find(1);
    registry.changed(1, "disabled");
    expect(await registry.find(1)).toMatchObject({ state: "disabled" });
    expect(gets(sandbox)).toBe(1);
    await sandbox.close();
  });

  it("keeps a change that was made while the list was under way", async () => {
    let arrive: (list: WebhookList) => void = () => undefined;
    const client = {
      listWebhooks: () => new Promise<WebhookList>((resolve) => (arrive = resolve)),
    } as unknown as PartnerClient; // The wire cannot be made to hold an answer between two of our own steps.
    const registry = new WebhookRegistry(client, () => 1);
    const found = registry.find(1);
    registry.changed(1, "disabled");
    const record = { webhookId: 1, state: "active", problem: null, record: {} } as const;
    arrive({ readable: true, complete: true, webhooks: new Map([[1, record]]) });
    expect(await found).toMatchObject({ state: "disabled" });
  });

  it("keeps no list that is not enough while the next one is read", async () => {
    const { sandbox, client, clock } = await start();
    const lists: WeakRef<object>[] = [];
    const kept: boolean[] = [];
    const listWebhooks = async (within?: number): Promise<WebhookList> => {
      const list = await client.listWebhooks(within);
      collectGarbage();
      kept.push(lists.at(-1)?.deref() !== undefined);
      lists.push(new WeakRef(list.webhooks));
      return list;
    };
    const registry = new WebhookRegistry({ ...client, listWebhooks }, () => clock.now);
    await registry.find(1);
    clock.now += 1;
    await registry.find(99); // Not on the list that is known.
    clock.now += 30_001;
    await registry.find(1); // The list that is known is too old.
    expect(kept).toEqual([false, false, false]);
    await sandbox.close();
  });

  it("says that a webhook is gone only after a list that was requested for it", async () => {
    const { sandbox, registry, clock } = await start();
    await registry.find(1);
    clock.now += 1;
    expect(await registry.find(99)).toBeNull();
    expect(gets(sandbox)).toBe(2);
    sandbox.addWebhook(98, "disabled");
    clock.now += 1;
    expect(await registry.find(98)).toMatchObject({ state: "disabled" });
    await sandbox.close();
  });

  it("never says that a webhook is gone when the list has further pages", async () => {
    const sandbox = await startSandbox({
      shape: {
        apiKey: ({ key }) => ({ apiKey: key }),
        webhooks: (list) => ({ webhooks: list, hasMore: true }),
      },
    });
    const registry = new WebhookRegistry(clientFor(sandbox));
    expect(await registry.find(101)).toMatchObject({ state: "active" });
    await expect(registry.find(99)).rejects.toThrow("webhook 99: listWebhooks");
    await expect(registry.find(99)).rejects.toThrow("signs of further pages");
    await sandbox.close();
  });

  it("asks anew after a failure", async () => {
    const { sandbox, registry } = await start();
    sandbox.inject({ kind: "status", status: 401 });
    await expect(registry.find(1)).rejects.toThrow("401");
    expect(await registry.find(1)).toMatchObject({ webhookId: 1 });
    await sandbox.close();
  });

  it("names at most 20 webhooks that exist when one does not", async () => {
    const { sandbox, registry } = await start(Array.from({ length: 23 }, (_, index) => index + 1));
    const { message } = await registry.missing(99);
    expect(message).toContain("webhook 99: it does not exist in this account");
    expect(message).toContain(
      "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, and 3 more.",
    );
    await sandbox.close();
  });
});
