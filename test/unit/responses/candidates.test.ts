import { expect, it } from "vitest";

import { readCreation } from "../../../provider/src/responses/creation-reader.js";
import { lookalikesBeside } from "../../../provider/src/responses/key-reader.js";
import { K, S, TOKEN, readKey } from "./support.ts";

const ID = "key_mGUyZNh0r2x";
const URL = "https://partners.example.com/operations/op_qxgIKwUh";
const MASKED = "sk_live_****abcd";

/** What a refusal proposes, and why the response may hold no key. */
function refusal(body: object, status: number) {
  const response = { body: JSON.stringify(body), encoding: "utf8", complete: true } as const;
  const settings = { responses: {}, accessToken: TOKEN, headers: {}, isStorable: () => true };
  const reading = readCreation(response, status, settings);
  if (reading.kind !== "unread") throw new Error(`the key is ${reading.kind}`);
  const { candidates, misfit, isPending } = reading.refusal;
  return { candidates, misfit: misfit?.kind, isPending };
}

it.each<[body: object, status: number, candidates: string[], misfit?: string | undefined, isPending?: true]>([
  [{ object: "operation", id: "op_qxgIKwUh", status: "pending" }, 202, [], undefined, true],
  [{ data: { operationId: "op_qxgIKwUh", state: "in-progress" } }, 201, [], undefined, true],
  [{ grant: K, id: ID }, 202, ["/grant"], undefined, true],
  [{ id: ID, key: MASKED, url: URL }, 201, [], "masked"],
  [{ id: ID, key: MASKED, token: MASKED, grant: K }, 201, ["/grant"], "masked"],
  [{ key: MASKED, user: { api_token: S } }, 201, ["/user/api_token"], "masked"],
  [{ id: ID, url: `key/${ID}`, object: ID, status: ID, createdAt: "2026-11-25T15:50:03Z" }, 201, []],
  [{ key_id: ID, keyGuid: ID, key_prefix: "sk_live_ab12", key_hash: S, token_type: "x-1-bearer" }, 201, []],
  [{ id: ID, owner_id: ID, grant: K }, 201, ["/grant"]],
  [{ id: ID, user: { api_token: S }, grant: K }, 201, ["/user/api_token", "/grant", "/id"]],
  [{ grant: K, secret_id: S, account: { id: ID, api_token: K } }, 201, ["/secret_id", "/account/api_token"]],
])("of %j (%i), only what may be the key is proposed", (body, status, candidates, misfit, isPending) => {
  expect(refusal(body, status)).toEqual({ candidates, misfit, isPending });
});

it("the same of what stands beside a key that is already known", () => {
  const beside = (body: object) => lookalikesBeside(JSON.stringify(body), K, TOKEN, () => false);
  expect(beside({ id: ID, key: K, grant: S })).toEqual(["/grant"]);
  expect(beside({ id: ID, key: K })).toEqual([]);
  expect(beside({ key: K })).toBeNull();
});

it("a pointer that a user sets may find an ID all the same", () => {
  expect(readKey(JSON.stringify({ id: K }), { apiKey: "/id" })).toMatchObject({ kind: "found", apiKey: K });
});
