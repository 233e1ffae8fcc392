import { expect, it } from "vitest";

import { LARGE_BODIES } from "../support/large-bodies.ts";
import { startListing } from "../support/listing-plugin.ts";
import { HOSTS } from "../support/spawned-plugin.ts";

// The other bodies, at the limit: npm run bench:memory.
it.each(HOSTS)("a list of 8 MiB is read by the %s host, and a larger one is refused", async (host) => {
  const body = LARGE_BODIES["webhooks"]?.(8) ?? "";
  const list = async (text: string): Promise<string> => {
    const { list, close } = await startListing(host, Buffer.from(text), ["--max-old-space-size=1024"]);
    return list().finally(close);
  };
  expect(await list(body.slice(0, 8 * 1024 * 1024).replace(/,[^}]*$/, "]"))).toMatch(/^\d{7,8} bytes$/);
  expect(await list(body)).toContain("the list is 8.1 MiB, larger than 8 MiB, the limit");
});
