import { expect, it } from "vitest";

import { parseDocument, resolvePointer } from "../../../provider/src/json.js";
import { idsBesideKey, readApiKeyId } from "../../../provider/src/responses/key-ids.js";
import { K, S } from "./support.ts";

it.each<[body: unknown, pointers: string]>([
  [{ keyId: "key_7", secret: K }, "/keyId"],
  [{ id: 7, secret: K }, "/id"],
  [{ apiKey: { clientId: "c7", clientSecret: K } }, "/apiKey/clientId"],
  [{ application: { id: 1, client_id: "c7", client_secret: K } }, "/application/client_id"],
  [{ client_secret: K, user: { client_id: "c7" } }, ""],
  [{ api_key: K, api_key_id: "7" }, "/api_key_id"],
  [{ id: 1, data: { uuid: "7", token: K } }, "/data/uuid /id"],
  [{ id: 1, tokenId: "7", token: K }, "/tokenId /id"],
  [{ AccessKey: { UserName: "Bob", AccessKeyId: "AK7", SecretAccessKey: K } }, "/AccessKey/AccessKeyId"],
  [{ access_key: "SCW7XT1PMUX08VF", secret_key: K }, "/access_key"],
  [{ key: { id: "7", project_id: 1 }, value: K }, "/key/id"],
  [{ token: K, metadata: { token_id: 7, id: 2 } }, "/metadata/token_id"],
  [{ data: { type: "keys", id: "7", attributes: { key: K } } }, "/data/id"],
  [{ auth: { accessor: "ac7", client_token: K } }, "/auth/accessor"],
  [{ keys: [{ id: 7, value: K }] }, "/keys/0/id"],
  [{ record: { id: 7, grant: K } }, "/record/id"],
  [{ "jane@example.com": { id: 7, apiKey: K } }, "/*/id"],
  [{ id: "18446744073709551615", secret: K }, "/id"],
  [{ token: K, user: { id: 7 }, account: { uuid: "8" } }, ""],
  [{ user: { id: 7, api_key: K } }, ""],
  [{ user: { id: 7, api_key_id: 8, api_key: K } }, "/user/api_key_id"],
  [{ token: K, request: { id: "7" }, request_id: "r7", meta: { requestId: "r7" } }, ""],
  [{ token: K, created_by: { id: 7 }, user_id: 7, project_id: 8, permissions: [{ id: 9 }] }, ""],
  [{ token: K, webhook: { id: 7 }, owner: { keyId: 7 }, last_id: 8 }, ""],
  [{ token: K, previous_key_id: "8", refresh_token_id: "9" }, ""],
  [{ jsonrpc: "2.0", id: 5414, result: { id: 3, client_secret: K } }, "/result/id"],
  [{ id: null, uuid: "", keyId: {}, sid: "a b", guid: ".", secret: K }, ""],
  [{ id: K, key: K }, ""],
  [{ id: 1, uuid: "2", uid: "3", keyId: "4", tokenId: "5", token: K, secret: S }, "/keyId /tokenId /id"],
  [{ id: 7, message: "created" }, "/id"],
  [K, ""],
  ["", ""],
])("the IDs in %j that may be that of the key: %s", (body, pointers) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const found = idsBesideKey(text);
  expect(found.join(" ")).toBe(pointers);
  for (const pointer of found)
    if (resolvePointer(parseDocument(text), pointer) !== undefined)
      expect(readApiKeyId(text, { apiKeyId: pointer })).not.toBeNull();
});
