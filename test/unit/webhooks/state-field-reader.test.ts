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
const NAMED = ['/status/name "Live","Paused" +words', "/status/id 1,2 +words"];
/** Webhooks that were stopped at different times. */
const STOPPED = [SET, ...Array.from("123456", (day) => `2026-11-2${day}`)].map((at) => ({
  suspended_at: at,
}));
const SUSPENDED = ["/attributes/suspended_at null"];
const CODE = ['/status/code "ACTIVE"'];
const OTHERS = [
  { last_delivery_status: "error", health: { status: "bad" }, event_mode: "all", last_http_status: 500 },
];
const HEALTH = [{ health: { status: "failing" } }, { health: { status: "suspended" } }];
const CHOSEN = ['/health/status "failing" +words'];
const LINKED = [{ source: { disabled_at: null, status: "active" }, mode: "LIVE" }];
const SOURCE = ['/source/status "paused"'];
const DELIVERY = ['/delivery_status "OFF"'];
const PAUSED = [{ enabled: true, paused_since: SET }];
const EITHER = [
  { active: true, status: "paused" },
  { active: false, status: "active" },
];
const MODE = ['/mode "A" +words'];

it.each<[string, JsonObject[], ResponseMapping, string[]]>([
  ["an object", OBJECTS, {}, NAMED],
  ["a member that is left out", [{ disabledAt: SET }, {}], {}, [`/disabledAt "${SET}",null`]],
  ["one of many times", STOPPED, {}, [`/suspended_at "${SET}"`]],
  ["a Unix time", [{ pausedSince: 1_764_066_030 }], {}, ["/pausedSince 1764066030"]],
  [
    "a stop that no record has",
    [{ attributes: { suspended_at: null, last_delivery_status: "error" } }],
    {},
    SUSPENDED,
  ],
  ["no other time", [{ enabled_at: SET, activeSince: SET, state: SET }], {}, []],
  ["alone what needs no words", [{ status: { code: "ACTIVE", since: SET }, mode: "B" }], {}, CODE],
  ["none about deliveries, health, events or retries", OTHERS, {}, []],
  ["one about the health that says disabled", HEALTH, {}, ['/health/status "failing","suspended" +words']],
  ["one about deliveries with its words", [{ delivery_status: "OFF" }], { disabled: ["OFF"] }, DELIVERY],
  ["the words of one that a person chose", HEALTH.slice(0, 1), { webhookState: "/health/status" }, CHOSEN],
  ["nothing that only a linked object says", LINKED, {}, ['/mode "LIVE" +words']],
  ["what a linked object says of a stop", [{ source: { status: "paused" }, mode: "B" }], {}, SOURCE],
  [
    "first what shows a stop, of members that disagree",
    PAUSED,
    {},
    [`/paused_since "${SET}"`, "/enabled true"],
  ],
  [
    "all that show a stop as they are ordered",
    EITHER,
    {},
    ["/active true,false", '/status "paused","active"'],
  ],
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
