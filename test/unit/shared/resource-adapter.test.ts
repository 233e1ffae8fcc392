import { expect, it } from "vitest";

import type { Properties } from "../../../provider/src/shared/properties.js";
import type { ResourceAdapter } from "../../../provider/src/shared/resource-adapter.js";
import { sandboxFor } from "../api/support.ts";
import { create, startRun, type Run } from "./support.ts";

const KINDS: readonly [string, (run: Run) => ResourceAdapter, Properties][] = [
  ["key", (run) => run.partnerApiKey, {}],
  ["webhook", (run) => run.partnerWebhookState, { webhookId: 101, state: "disabled" }],
  ["fleet", (run) => run.partnerWebhookStates, { states: { 101: "disabled" } }],
];

it.each(KINDS)("a refresh of a %s keeps an output of a newer version", async (_kind, handlersOf, args) => {
  const service = await sandboxFor();
  const { outputs: olds } = await create(handlersOf(startRun(service)), args);
  const outputs = { ...olds, ofNewerVersion: { since: 2 } };
  expect(await handlersOf(startRun(service)).read(outputs)).toMatchObject({ outputs });
});

it("a refresh of a key changes nothing, even if an output of a newer version is missing", async () => {
  const service = await sandboxFor();
  const { outputs: olds } = await create(startRun(service).partnerApiKey);
  const outputs = Object.fromEntries(Object.entries(olds).filter(([name]) => name !== "previousApiKey"));
  expect((await startRun(service).partnerApiKey.read(outputs))?.outputs).toEqual(outputs);
});
