import { pipeline } from "node:stream";
import { afterAll, beforeAll, onTestFinished } from "vitest";

import { type Plugin, startPlugin } from "../support/plugin-process.ts";
import { listen } from "../unit/api/support.ts";
import { WEBHOOK } from "./partners.ts";

/** What stands in state of a webhook. */
export const HOOK = {
  ...WEBHOOK,
  webhookId: 101,
  state: "active",
  stateOnDestroy: "leave",
  account: "default",
};

/** What a service sends in place of a sensible body, whole or a piece at a time. */
type Body = string | Buffer | Iterable<Buffer>;

/** A plugin, and a service that answers everything with one body, which may be changed. */
interface Answered {
  readonly plugin: Plugin;
  body: Body;
  close(): Promise<unknown>;
}

async function startAnswered(body: Body, { status = 200, env = {} } = {}): Promise<Answered> {
  const server = await listen((_request, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    const whole = typeof answered.body === "string" || Buffer.isBuffer(answered.body);
    if (whole) response.end(answered.body);
    else pipeline(answered.body, response, () => undefined); // It ends when the plugin has had enough.
  });
  const config = { "partners:baseUrl": server.url, "partners:accessToken": server.accessToken };
  const plugin = await startPlugin({ config, env });
  const answered = { plugin, body, close: () => Promise.all([plugin.close(), server.close()]) };
  return answered;
}

/** The same, until the end of the test. */
export async function answeredWith(body: Body, options?: { status?: number; env?: object }): Promise<Plugin> {
  const answered = await startAnswered(body, options);
  onTestFinished(() => void answered.close());
  return answered.plugin;
}

/** The same for several tests. */
export function sharing(status: number): { readonly answered: (body: Body) => Plugin } {
  let shared: Answered;
  beforeAll(async () => {
    shared = await startAnswered("", { status });
  });
  afterAll(() => shared.close());
  return {
    answered: (body) => {
      shared.body = body;
      return shared.plugin;
    },
  };
}
