import { expect, it } from "vitest";

import { hasId, identifiersOf, mayMissRoute } from "../../../provider/src/keys/deletion-identifier-reader.ts";
import type { ResponseMapping } from "../../../provider/src/bodies/response-mapping.ts";

const KEY = "pk_live_4eC39HqLyjWDarjtT1";

/** Returns what is sent after the key itself. */
function idsOf(body: unknown, mapping: ResponseMapping = {}): string[] {
  const identifiers = identifiersOf(JSON.stringify(body), { apiKey: KEY }, mapping);
  return identifiers.map(({ value }) => value).filter((value) => value !== KEY);
}

it.each<[what: string, body: unknown, ids: string[]]>([
  ["an ID next to it", { id: 7, apiKey: KEY }, ["7"]],
  ["an ID in the same envelope", { data: { id: 7, key: KEY }, id: 8 }, ["7"]],
  ["an ID of an envelope around it", { data: { id: 7, attributes: { key: KEY } } }, ["7"]],
  ["an ID at the root", { id: "a7", data: { key: KEY } }, ["a7"]],
  ["the ID of an object that is named after it", { api_key: { id: "a7", value: KEY }, id: 8 }, ["a7"]],
  ["the ID of a key", { key_uuid: "a7", key: KEY }, ["a7"]],
  ["several IDs, most specific first", { id: 1, uuid: "u", apiKeyId: "k", key: KEY }, ["k", "1", "u"]],
  ["an ID in the object at a pointer, whatever its name", { partner: { id: 7, key: KEY }, id: 8 }, ["7"]],
  ["but none of another thing", { user: { id: 7 }, accountId: 8, parent_key_id: 9, key: KEY }, []],
  ["nor of another thing around it", { user: { id: 7, keys: { key: KEY } } }, []],
  ["nor the key itself", { id: KEY, key: KEY }, []],
  ["nor what would change the path", { id: "..", keyId: ".", uuid: "", key: KEY }, []],
])("a key may be deleted by %s", (_what, body, ids) => {
  expect(idsOf(body)).toEqual(ids);
});

it("what responses.apiKeyId finds comes first: text, a number of any size, or the key", () => {
  const body = `{"big":12345678901234567890,"n":7,"text":"a7","none":["","..","."],"key":"${KEY}"}`;
  const first = (apiKeyId: string) => identifiersOf(body, { apiKey: KEY }, { apiKeyId })[0]?.value;
  expect(["/big", "/n", "/text", "/key"].map(first)).toEqual(["12345678901234567890", "7", "a7", KEY]);
  const unusable = ["/none", "/none/0", "/none/1", "/none/2", "/gone", ""];
  expect(unusable.map(first)).toEqual(unusable.map(() => KEY));
});

it("of an imported key, only the key itself is known", () => {
  const only = [{ value: KEY, pointer: null, isChosen: false }];
  expect(identifiersOf(null, { apiKey: KEY }, { apiKeyId: "/id" })).toEqual(only);
});

it("pointers to IDs are proposed, unless a name that they contain may be data", () => {
  const pointers = (body: object) =>
    identifiersOf(JSON.stringify(body), { apiKey: KEY }, {}).map((each) => each.pointer);
  expect(pointers({ id: 1, key: KEY })).toEqual(["/key", "/id"]);
  expect(pointers({ "key-4f3a2b1c9d8e7f60": { id: 1, key: KEY } })).toEqual([null, null]);
});

it("a response has an ID if one of its names is exactly that of the ID of a key", () => {
  const bodies = [{ id: 7 }, { data: { key_id: "a" } }, { requestId: 7 }, { id: "" }, []];
  expect(bodies.map((body) => hasId(JSON.stringify(body)))).toEqual([true, true, false, false, false]);
});

it("only the value at responses.apiKeyId is chosen; the key as the stack has it comes last", () => {
  const body = JSON.stringify({ id: 7, key: KEY });
  const all = identifiersOf(body, { apiKey: KEY, storedAs: "stored" }, { apiKeyId: "/id" });
  expect(all.map(({ value, isChosen }) => [value, isChosen])).toEqual([
    ["7", true],
    [KEY, false],
    ["stored", false],
  ]);
});

it("a router may not find the route to what it decodes or cuts off", () => {
  const values = ["a/b", "a%b", "a\\b", "a;b", "a+b=", "a.b~c", "7"];
  expect(values.map(mayMissRoute)).toEqual([true, true, true, true, false, false, false]);
});
