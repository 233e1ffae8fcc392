import { expect, it } from "vitest";

import { LARGE_BODIES } from "../support/large-bodies.ts";
import { startListing } from "../support/listing-plugin.ts";
import { HOSTS } from "../support/spawned-plugin.ts";

// The other bodies, at the limit: npm run bench:memory. The client refuses a larger list, whatever the host.
it.each(HOSTS)("a list of 8 MiB is read by the %s host", async (host) => {
  const body = (LARGE_BODIES["webhooks"]?.(8) ?? "").slice(0, 8 * 1024 * 1024).replace(/,[^}]*$/, "]");
  const { list, close } = await startListing(host, Buffer.from(body), ["--max-old-space-size=1024"]);
  expect(await list().finally(close)).toMatch(/^\d{7,8} bytes$/);
});
