import * as pulumi from "@pulumi/pulumi";
import { expect, it, vi } from "vitest";

// Without an engine or a server, in milliseconds: what does the program declare?
it("disables the webhooks of the old shop only", async () => {
  const declared: Record<string, unknown> = {};
  await pulumi.runtime.setMocks({
    newResource({ type, name, inputs, id }) {
      const [, , kind] = type.split(":");
      // What getPartnerWebhooks() finds, as JSON text.
      const found = JSON.stringify([{ webhookId: 7 }, { webhookId: 101 }]);
      if (kind === "PartnerWebhooks") return { id, state: { webhooks: found } };
      if (kind === "PartnerApiKey") return { id: "key", state: { apiKey: "pk_test" } };
      const { webhookId, state } = inputs as { webhookId: number; state: string };
      declared[name] = state;
      return { id: String(webhookId), state: inputs as object };
    },
    call: () => ({}),
  });

  const { apiKey } = await import("./index.js");

  expect(await new Promise((resolve) => apiKey.apply(resolve))).toBe("pk_test");
  // Resources are registered after the program has ended.
  await vi.waitFor(() => {
    expect(declared).toEqual({ "webhook-7": "disabled", "webhook-101": "active" });
  });
});
