import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";

import { declareKey, refuse, stackFor } from "./support.ts";

it("without overlap, the key is replaced, and if deleting the old key fails, the next up deletes it", async () => {
  let trigger = "1";
  /** The keys that work while consumers switch to the current one. One alone would mean downtime. */
  let working: readonly string[] = [];
  const { api, run } = await stackFor(() => {
    const { apiKey } = declareKey("native", "checkout", { rotation: { trigger, overlapDays: 0 } });
    const consumer = apiKey.apply(() => (working = [...api.keys]));
    return { consumer: pulumi.secret(consumer) };
  });
  expect(await run("up")).toMatchObject({ error: "" });
  const [old] = api.keys;
  trigger = "2";
  refuse(api, "deleteApiKey", 403);
  const failed = await run("up");
  expect(failed.error).toContain("403");
  expect(failed.requests).toEqual({ GET: 1, POST: 1, DELETE: 1 });
  const [, present] = api.keys;
  expect(working).toEqual([old, present]);
  expect(await run("up")).toMatchObject({ error: "", requests: { DELETE: 1 } });
  expect([...api.keys]).toEqual([present]);
});
