import { expect, it, onTestFinished } from "vitest";

import { startSandbox } from "../../support/sandbox.ts";
import { clientFor } from "../api/support.ts";

it.each([60, 1_000_000])(
  "fails all requests at once when the server asks one of them to wait %d s, longer than there is time for",
  async (retryAfter) => {
    const sandbox = await startSandbox();
    const client = clientFor(sandbox);
    onTestFinished(async () => {
      await client.close();
      await sandbox.close();
    });
    sandbox.inject({ kind: "rateLimit", retryAfter });
    const creations = await Promise.allSettled([1, 2, 3].map(() => client.createApiKey()));
    const late = await client.createApiKey().catch((error: unknown) => String(error));
    expect(late).toMatch(
      /429 to another request\. Nothing was changed on the server\. The server asks to wait \d+ s/,
    );
    expect(creations.filter(({ status }) => status === "rejected")).not.toEqual([]);
    expect(sandbox.requests.length).toBeLessThanOrEqual(3); // Those that were under way already.
  },
);
