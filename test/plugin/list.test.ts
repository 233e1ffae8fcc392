import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { expect, it } from "vitest";

import { UNKNOWN } from "../../provider/src/handlers/contract.js";
import { errorOf, start, takeRequests } from "./partners.ts";
import { toStruct } from "./plugin-process.ts";

/** Asks for webhooks, or for resources of another type. */
function request(type = "PartnerWebhookState"): proto.ListRequest {
  return new proto.ListRequest().setToken(`partners:index:${type}`);
}

async function startNative() {
  const { sandbox, plugin } = await start({}, { host: "native" });
  /** Returns the IDs, and the continuation token in brackets. */
  const list = async (wanted: proto.ListRequest): Promise<string> => {
    const shown = (await plugin.list(wanted)).map(({ result, continuation }) =>
      continuation ? `[${continuation.continuationToken}]` : result?.id,
    );
    return shown.join(" ");
  };
  return { sandbox, plugin, list };
}

it("a list has the pages that the engine asks for, from one request", async () => {
  const { sandbox, list } = await startNative();
  expect(await list(request())).toBe("101 102 103");
  expect(await list(request().setLimit(2))).toBe("101 102");
  const pages = (): proto.ListRequest => request().setPageSize(2);
  expect(await list(pages())).toBe("101 102 [2]");
  expect(await list(pages().setContinuationToken("2"))).toBe("103");
  // The limit counts the resources of all pages.
  expect(await list(request().setPageSize(1).setLimit(2))).toBe("101 [1]");
  expect(await list(request().setPageSize(1).setLimit(2).setContinuationToken("1"))).toBe("102");
  expect(await list(request("PartnerWebhookStates"))).toBe("default");
  expect(takeRequests(sandbox)).toBe("GET");
});

it("a list is filtered by state, and refuses what it cannot filter or list", async () => {
  const { plugin, list } = await startNative();
  const inState = (state: string) => request().setQuery(toStruct({ state }));
  expect(await list(inState("disabled"))).toBe("103");
  expect(await plugin.list(inState(UNKNOWN))).toMatchObject([{ computed: {} }]);
  expect((await errorOf(plugin.list(inState("off")))).message).toBe('state must be "active" or "disabled".');
  expect((await errorOf(plugin.list(request("PartnerApiKey")))).message).toBe(
    'There is no listable type "partners:index:PartnerApiKey". Correct it to one of: partners:index:PartnerWebhookState, partners:index:PartnerWebhookStates. [PARTNERS_RESOURCE]',
  );
});
