import { expect, it } from "vitest";

import { SHAPES, type Shape } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { startRun } from "../shared/support.ts";

const TOKEN = "short-token";
const HEADER = "acme-tenant";

it.each<[what: string, members: object, name: string]>([
  ["nothing to recognize", { created_at: "2026-01-01", secret: "whsec_0123456789abcdef" }, ""],
  ["a name before a description", { description: "All orders", name: " Orders" }, "Orders"],
  ["a description before an address", { url: "https://a.example/x", description: "Orders" }, "Orders"],
  ["a name inside attributes", { attributes: { name: "Orders" } }, "Orders"],
  ["the name of a creator", { creator: { name: "Jo" }, endpoint: "https://a.example" }, "https://a.example/"],
  ["an address with credentials", { target_url: "https://me:pw@a.example/x?key=k#f" }, "https://a.example/x"],
  [
    "an address with secret parts",
    { callbackUrl: "https://0123456789abcdef.example.com/T0/0123456789abcdef/orders" },
    "https://***.example.com/T0/***/orders",
  ],
  ["an address as its name", { name: " https://a.example/x?key=k" }, "https://a.example/x"],
  ["an address without a scheme", { url: "a.example/x?key=k" }, ""],
  ["commands in its name", { name: "##[set-output name=x]y ::z" }, "# #[set-output name=x]y : :z"],
  ["commands in its address", { url: "https://a.example/##[x]/y::z" }, "https://a.example/"],
  ["half a character in its name", { name: "Orders \ud83d" }, "Orders \ufffd"],
  ["a name that could be a secret", { name: "whsec_0123456789abcdef", description: "Orders" }, "Orders"],
  ["the value of a header in its name", { name: `Orders ${HEADER}` }, "Orders ***"],
  ["the access token in its name", { name: `Orders ${TOKEN}\u001b[31m` }, "Orders *** [31m"],
])("a webhook with %s is listed with the right name", async (_what, members, name) => {
  const webhooks: Shape["webhooks"] = (list) =>
    list.map(({ webhookId, state }) => ({ webhookId, state, ...members }));
  const service = await sandboxFor({ shape: { ...SHAPES.flat, webhooks }, accessToken: TOKEN });
  const [first] = await startRun(service, {
    headers: JSON.stringify({ "x-tenant": HEADER }),
  }).listResources();
  expect(first).toEqual({ id: "101", name });
});

it("webhooks are listed by their states", async () => {
  const service = await sandboxFor();
  const run = startRun(service);
  const ids = async (state?: "active" | "disabled") => (await run.listResources(state)).map(({ id }) => id);
  expect([await ids(), await ids("active"), await ids("disabled")]).toEqual([
    ["101", "102", "103"],
    ["101", "102"],
    ["103"],
  ]);
  expect(service.requests).toHaveLength(1);
});

it.each<[what: string, webhooks: Shape["webhooks"], problem: object]>([
  ["has further pages", (list) => ({ webhooks: list, hasMore: true }), { kind: "absenceUnproven" }],
  [
    "does not show all states",
    (list) => list.map(({ webhookId, state }) => ({ webhookId, ...(webhookId > 101 && { state }) })),
    { kind: "stateUnknown", webhookIds: [101] },
  ],
])("a list that %s is an error", async (_what, webhooks, problem) => {
  const run = startRun(await sandboxFor({ shape: { ...SHAPES.flat, webhooks } }));
  expect(await failureOf(run.listResources("disabled"))).toMatchObject({ problem });
});
