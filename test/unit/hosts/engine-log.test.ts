import * as grpc from "@grpc/grpc-js";
import { expect, it, vi } from "vitest";

import { EngineLog } from "../../../provider/src/hosts/engine-log.js";
import { KnownSecrets } from "../../../provider/src/partner-api/known-secrets.ts";

const mask = (text: string) => new KnownSecrets().mask(text);

it("a message that cannot be sent is on stderr, and fails neither its call nor the next message", async () => {
  const written: unknown[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(text) > 0);
  const Metadata = vi.fn(() => {
    throw new Error("refused");
  });
  const log = new EngineLog("127.0.0.1:9", { ...grpc, Metadata } as unknown as typeof grpc);
  log.show("WARNING", mask("one"), "");
  await log.flush();
  log.show("WARNING", mask("two"), "");
  await log.flush();
  expect(written).toEqual(["pulumi-partners: one\n", "pulumi-partners: two\n"]);
});
