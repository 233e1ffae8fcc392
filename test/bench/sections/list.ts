import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { PARTNER_WEBHOOK_STATE } from "../../../provider/dist/resources/registration.js";
import { peakMemory } from "../../support/process.ts";
import { startPlugin } from "../../support/plugin-process.ts";
import { median } from "../statistics.ts";

/** What it costs the plugin to read a list. */
export interface ListRow {
  readonly webhooks: number;
  readonly bytes: number;
  /** Milliseconds of the first read of a webhook, the transfer of the list included. */
  readonly ms: number;
  /** The most memory that the plugin had, in MiB. */
  readonly memory: number;
}

const STATE = {
  ...{ __provider: PARTNER_WEBHOOK_STATE.__provider, webhookId: 101, state: "disabled" },
  ...{ stateOnDestroy: "leave", account: "default" },
};

/** Reads lists of several lengths in the plugin itself, without an engine. */
export async function measureList(repetitions: number, say: (line: string) => void): Promise<ListRow[]> {
  const rows: ListRow[] = [];
  for (const webhooks of [1, 1000, 20_000, 200_000]) {
    const body = Buffer.from(
      `[${Array.from({ length: webhooks }, (_, index) => record(index + 1)).join(",")}]`,
    );
    const found = [];
    for (let round = 0; round < repetitions; round += 1) found.push(await readOnce(body));
    const row = {
      webhooks,
      bytes: body.length,
      ms: median(found.map(({ ms }) => ms)),
      memory: median(found.map(({ memory }) => memory)),
    };
    say(`list of ${row.webhooks}: ${row.ms.toFixed(0)} ms, ${row.memory.toFixed(0)} MiB`);
    rows.push(row);
  }
  return rows;
}

function record(id: number): string {
  return `{"id":${id},"url":"https://hooks.example.com/${id}","status":"disabled","secret":"whsec_${id}"}`;
}

async function readOnce(body: Buffer): Promise<{ ms: number; memory: number }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const plugin = await startPlugin({ config: { "partners:baseUrl": url, "partners:accessToken": "token" } });
  try {
    await plugin.check(STATE, STATE); // The host and our code are loaded: that is another figure.
    const began = performance.now();
    await plugin.read("1", { ...STATE, webhookId: 1 });
    const ms = performance.now() - began;
    return { ms, memory: peakMemory(plugin.pid) ?? NaN };
  } finally {
    await plugin.close();
    server.close();
  }
}
