import { claimOf } from "./claims.ts";
import { leftBy, Violation, type Done, type Evidence, type Seen } from "./evidence.ts";
import type { Properties } from "../../support/plugin-process.ts";

/** What holds for webhooks, whatever happens. @throws {Violation} */
export function assertWebhooksRight({ done, seen }: Evidence): void {
  for (const [account, { changed }] of seen) {
    for (const webhookId of changed) assertOwned(account, webhookId, done);
  }
  const webhooks = done.filter(({ call }) => call.kind === "webhook");
  for (const one of webhooks) {
    const own = seen.get(one.call.account);
    if (!own) throw new Violation("a call of an unknown account");
    // Two at a time about the same webhook may overtake each other.
    const alone = webhooks.filter((other) => webhookOf(other) === webhookOf(one)).length === 1;
    if (alone) assertOriginKept(one, own);
    if (one.outcome.ok && alone) assertDone(one, own, one.outcome.value as Properties);
  }
}

/** The webhook that a call is about. */
function webhookOf({ call }: Done): string {
  const properties = call.verb === "delete" || call.verb === "read" ? call.olds : call.news;
  return `${call.account}/${String(properties["webhookId"])}`;
}

/** A change must be the work of a call about this webhook that succeeded, or that does not deny it. */
function assertOwned(account: string, webhookId: number, done: readonly Done[]): void {
  const about = done.filter((one) => webhookOf(one) === `${account}/${webhookId}` && changes(one));
  if (about.length === 0)
    throw new Violation(`webhook ${webhookId} of ${account} was changed by nobody's order`);
  const denied = about.every(({ outcome }) => !outcome.ok && claimOf(outcome.failure.message) === "none");
  if (denied) throw new Violation("an error denies that the webhook was changed");
}

function changes({ call }: Done): boolean {
  return call.verb === "create" || call.verb === "update" || (call.verb === "delete" && !isLeft(call));
}

function isLeft({ olds, declared }: Done["call"]): boolean {
  return declared || olds["stateOnDestroy"] === "leave";
}

/** The state in which a webhook was found is known for as long as the resource lasts: "restore" needs it. */
function assertOriginKept(one: Done, { webhooksBefore }: Seen): void {
  const { call } = one;
  const left = leftBy(one);
  if (!left || left["webhookId"] === undefined) return;
  const { initialState } = left;
  const found = webhooksBefore.get(Number(call.news["webhookId"]));
  const origin = call.verb === "create" ? found : call.olds["initialState"];
  if (call.verb !== "check" && initialState !== origin)
    throw new Violation(`the original state ${String(origin)} is kept as ${JSON.stringify(initialState)}`);
}

/** What a success says must be so. */
function assertDone({ call }: Done, { service, requests }: Seen, value: Properties): void {
  const { olds, news, verb } = call;
  const webhookId = Number((verb === "delete" || verb === "read" ? olds : news)["webhookId"]);
  const state = service.sandbox.webhooks.get(webhookId);
  if ((verb === "create" || verb === "update") && state !== news["state"])
    throw new Violation(`${verb} succeeded, and the webhook is ${state ?? "missing"}`);
  if (verb === "read" && value["id"] === "" && state !== undefined)
    throw new Violation("a webhook that exists was read as gone");
  if (verb === "read" && value["id"] !== "" && (value["properties"] as Properties)["state"] !== state)
    throw new Violation(`the webhook is ${state ?? "missing"} and was read as something else`);
  if (verb === "delete" && !isLeft(call)) {
    const wanted: unknown =
      olds["stateOnDestroy"] === "restore" ? olds["initialState"] : olds["stateOnDestroy"];
    if (state !== undefined && wanted !== null && state !== wanted)
      throw new Violation(`a deletion was to set ${JSON.stringify(wanted)}, and left ${state}`);
  }
  const left = verb === "diff" || (verb === "delete" && isLeft(call));
  const touched = requests.some(({ path }) => path.includes(`/webhooks/${webhookId}/`));
  if (left && touched) throw new Violation(`${verb} was to leave webhook ${webhookId} alone`);
}
