import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { sandboxStack } from "./support.ts";

it("settings without an effect are warned of in the preview, each with the way out", async () => {
  const { stack } = await sandboxStack(() => {
    new partners.PartnerApiKey("checkout");
    return Promise.resolve();
  });
  const unchanged = await stack.preview();
  expect(unchanged).toMatchObject({ ok: true });
  expect(unchanged.stdout).not.toContain("no effect");

  await stack.configure({
    "partners:baseURL": { value: "http://127.0.0.1:1" },
    "partners:timeout": { value: "30" },
    "partners:responses.webhooks": { value: "/outgoing" },
  });
  const { ok, stdout } = await stack.preview();
  expect(ok).toBe(true);
  expect(stdout).toContain(
    '"partners:baseURL" is no setting of pulumi-partners, so it has no effect. It is called partners:baseUrl.',
  );
  expect(stdout).toContain(
    '"partners:timeout" is no setting of pulumi-partners, so it has no effect. There are',
  );
  expect(stdout).toContain(
    `"partners:responses.webhooks" was set without --path, so it has no effect. Run "pulumi config set --path 'partners:responses.webhooks' VALUE"`,
  );
});
