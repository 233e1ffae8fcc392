import { onTestFinished } from "vitest";

import type { PartnerApiServer } from "../../support/sandbox.ts";
import { forward, startTcpServer } from "../../support/tcp-server.ts";

/** Something in front of a service, which may answer in its place. */
export interface Gateway {
  readonly url: string;
  /** Returns the bytes with which it answers a request; `null` to pass it on. */
  answer: (request: string) => string | null;
}

/** Starts a gateway, which ends with the test. */
export async function startGateway(service: PartnerApiServer, answer: Gateway["answer"]): Promise<Gateway> {
  const server = await startTcpServer((socket) => {
    socket.once("data", (data) => {
      const bytes = gateway.answer(data.toString("latin1"));
      if (bytes === null) forward(socket, socket, Number(new URL(service.url).port)).write(data);
      else socket.end(bytes);
    });
  });
  onTestFinished(() => server.close());
  const gateway = { url: `http://127.0.0.1:${server.port}`, answer };
  return gateway;
}
