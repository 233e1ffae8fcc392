import { expect, it } from "vitest";

import type { JsonObject } from "../../../provider/src/bodies/json.js";
import type { ResponseMapping } from "../../../provider/src/bodies/response-mapping.js";
import { stateFieldsOf } from "../../../provider/src/webhooks/webhook-state-field-reader.js";

const SET = "2026-11-25T10:20:30Z";

const propose = (records: readonly JsonObject[], mapping: ResponseMapping = {}): string[] =>
  stateFieldsOf(records, mapping).map(
    ({ pointer, values, needsWords }) => `${pointer} ${values.join()}${needsWords ? " +words" : ""}`,
  );

const OBJECTS = ["Live", "Paused"].map((name, index) => ({ status: { id: index + 1, name } }));
const NAMED = ["/status/id 1,2 +words", '/status/name "Live","Paused" +words'];
const MODE = ['/mode "A" +words'];

it.each<[string, JsonObject[], ResponseMapping, string[]]>([
  ["an object", OBJECTS, {}, NAMED],
  ["a member that is left out", [{ disabledAt: SET }, {}], {}, [`/disabledAt "${SET}",null`]],
  ["members that disagree", [{ active: true, status: "paused" }], {}, ["/active true", '/status "paused"']],
  ["the words at the pointer", [{ mode: "A", status: "on" }], { webhookState: "/mode" }, MODE],
  ["others than a wrong pointer", [{ mode: "A" }], { webhookState: "/status" }, MODE],
  ["not one in an array", [{ targets: [{ status: "odd" }] }], {}, []],
  ["not one whose values may be secrets", [{ status: "k3y_0123456789" }], {}, []],
  ["not one that is never set", [{ status: null }], {}, []],
  ["not one whose name is hidden", [{ x: { sk_live_0123456789abcdefg_status: "odd" } }], {}, []],
  ["not one of many values", ["a", "b", "c", "d", "e", "f"].map((status) => ({ status })), {}, []],
  ["none, if nothing looks like a state", [{ name: "orders", push_events: true }], {}, []],
])("where the state is unknown, it proposes %s", (_what, records, mapping, fields) => {
  expect(propose(records, mapping)).toEqual(fields);
});
