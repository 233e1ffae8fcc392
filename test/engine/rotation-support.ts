import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import type { Sandbox } from "../support/sandbox.ts";
import { onTestFinished } from "vitest";

import type { TestStack } from "../support/stack.ts";

const DAY = 86_400_000;

/** A service that uses a key all the time; it gets new ones from the resource {@link Consumer}. */
export interface Service {
  readonly url: string;
  /** The statuses that its requests were answered with, counted. */
  readonly answers: Readonly<Record<number, number>>;
}

/** Starts a {@link Service}. A new key is taken over when no request with the old one is under way, as in a rolling restart. */
export async function startService(sandbox: Sandbox): Promise<Service> {
  const answers: Record<number, number> = {};
  let apiKey = "";
  let underWay: Promise<void> = Promise.resolve();
  const stop = new AbortController();
  const use = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const { status } = await fetch(`${sandbox.url}/whoami`, { headers });
    answers[status] = (answers[status] ?? 0) + 1;
  };
  const server = createServer((request, response) => {
    void (async () => {
      apiKey = (await request.toArray()).join("");
      await underWay;
      response.end();
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const working = (async () => {
    while (!stop.signal.aborted) {
      if (apiKey !== "") await (underWay = use());
      await sleep(5);
    }
  })();
  onTestFinished(async () => {
    stop.abort();
    await working;
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers };
}

/** Gives a key to a {@link Service}: what stands in for a deployment in these tests. */
export class Consumer extends pulumi.CustomResource {
  constructor(name: string, props: { readonly url: string; readonly apiKey: pulumi.Input<string> }) {
    super("pulumi-nodejs:dynamic/test:Consumer", name, { ...props, __provider: CONSUMER });
  }
}

const CONSUMER = `exports.handler = () => {
  const give = async ({ url, apiKey }) => { await fetch(url, { method: "POST", body: apiKey }); };
  return {
    diff: async (id, olds, news) => ({ changes: olds.apiKey !== news.apiKey }),
    create: async (inputs) => { await give(inputs); return { id: "consumer", outs: inputs }; },
    update: async (id, olds, news) => { await give(news); return { outs: news }; },
    delete: async () => {},
  };
};`;

interface StoredKey {
  readonly type: string;
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown>;
}

/** Makes keys as many days older: what is in state is the only clock that the resource knows. */
export async function age(
  stack: Pick<TestStack, "exportStack" | "importStack">,
  days: number,
): Promise<void> {
  const exported = await stack.exportStack();
  const { resources } = exported.deployment as { resources: StoredKey[] };
  const earlier = (properties: Record<string, unknown>, name: string, length?: number): void => {
    const time = properties[name];
    if (typeof time !== "string") return;
    properties[name] = new Date(Date.parse(time) - days * DAY).toISOString().slice(0, length);
  };
  for (const { inputs, outputs } of resources.filter(({ type }) => type.endsWith(":PartnerApiKey"))) {
    for (const name of ["createdAt", "rotatedAt", "previousExpiresAt"]) earlier(outputs, name);
    for (const name of ["keySince", "rotationDue"]) earlier(inputs, name, "2026-02-19".length);
  }
  await stack.importStack(exported);
}
