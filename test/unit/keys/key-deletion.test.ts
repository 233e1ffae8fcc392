import { describe, expect, it } from "vitest";

import { loseAnswers, refuse, replaceAnswers } from "../../support/sandbox.ts";
import { Stack, startService, URN, type Shape } from "./support.ts";

/** What responses show. The key at `api_key` is named as in the contract. */
const BODIES = {
  api_key: (key: string) => ({ api_key: key }),
  "id, api_key": (key: string, id: string) => ({ id, api_key: key }),
  "data/key": (key: string) => ({ data: { key } }),
  "id, key": (key: string, id: string) => ({ id, key }),
};

/** Nothing: the key is imported, so that there is no response. */
type Body = keyof typeof BODIES | "nothing";
/** `revoked`: by a person. `lost`: the response to our first deletion. */
type Fate = "alive" | "revoked" | "lost";
/** `unclear`: an error that names the pointers. `refused`: the error of a status. */
type End = "done" | "warned" | "unclear" | "refused";

/** Creates a key, lets something happen to it, and destroys the stack. */
async function destroyed(shape: Shape, body: Body, fate: Fate, apiKeyId: string | null) {
  const service = await startService({ ...shape, ...(body !== "nothing" && { body: BODIES[body] }) });
  const stack = new Stack(service);
  await stack.up();
  const [key = ""] = service.keys;
  if (body === "nothing") await stack.import(key);
  if (fate === "revoked") service.keys.clear();
  if (fate === "lost") loseAnswers(service, "deleteApiKey");
  const { error, notices, requests } = await stack.destroy({ responses: { apiKeyId } });
  const failure = error?.includes("responses.apiKeyId") ? "unclear" : "refused";
  const success = notices.length > 0 ? "warned" : "done";
  const end: End = error === null ? success : failure;
  const sent = requests.map((request) => request.replace("DELETE /api-key/", "").replace(key, "key"));
  const isAlive = service.keys.has(key);
  return { end, error, isAlive, sent: sent.join(", ").replace("GET /webhooks", "list") };
}

it.each<[deletesBy: "key" | "id", body: Body, fate: Fate, apiKeyId: string | null, sent: string, end: End]>([
  ["key", "id, key", "alive", "/id", "k1, key", "done"], // What would otherwise forget a living key.
  ["key", "data/key", "alive", "/id", "key", "done"],
  ["key", "nothing", "alive", "/id", "key", "done"],
  ["id", "id, key", "alive", "/id", "k1", "done"],
  ["id", "id, key", "alive", null, "key", "unclear"],
  ["id", "nothing", "alive", null, "key", "unclear"],

  ["key", "api_key", "revoked", null, "key, list", "warned"],
  ["key", "id, api_key", "revoked", null, "key, list", "warned"],
  ["key", "data/key", "revoked", null, "key, list", "warned"],
  ["key", "id, key", "revoked", null, "key", "unclear"],
  ["key", "id, key", "revoked", "/key", "key, list", "warned"],
  ["key", "data/key", "revoked", "/id", "key", "unclear"],
  ["key", "nothing", "revoked", null, "key", "unclear"],
  ["key", "nothing", "revoked", "/data/key", "key, list", "warned"],
  ["id", "id, key", "revoked", "/id", "k1, key, list", "warned"],

  ["key", "api_key", "lost", null, "key, key", "done"],
  ["key", "id, key", "lost", null, "key, key", "warned"],
  ["key", "id, key", "lost", "/key", "key, key", "done"],
  ["key", "id, key", "lost", "/id", "k1, k1, key", "done"],
  ["key", "nothing", "lost", "/id", "key, key", "warned"],
  ["id", "id, key", "lost", "/id", "k1, k1, key", "done"],
])(
  "by %s, %s in the response, %s, apiKeyId %s: sends %s, and ends %s",
  async (deletesBy, body, fate, apiKeyId, sent, end) => {
    expect(await destroyed({ deletesBy }, body, fate, apiKeyId)).toMatchObject({ sent, end });
  },
);

/** Services, and the pointers that fit them. */
const SERVICES: readonly [deletesBy: "key" | "id", body: Body, apiKeyId: string][] = [
  ["key", "api_key", "/api_key"],
  ["key", "id, api_key", "/api_key"],
  ["key", "data/key", "/data/key"],
  ["key", "id, key", "/key"],
  ["key", "nothing", "/api_key"],
  ["id", "id, key", "/id"],
  ["id", "nothing", "/id"],
];

it("no deletion forgets a living key in silence, and none is stuck once the setting is right", async () => {
  for (const [deletesBy, body, right] of SERVICES)
    for (const statuses of [{ notFound: 410 }, { malformed: 400 }, { malformed: 422 }, {}])
      for (const fate of ["alive", "revoked", "lost"] as const)
        for (const apiKeyId of new Set([null, right, "/id", "/key"])) {
          // A person says that this service deletes by the key.
          if (deletesBy === "id" && apiKeyId === "/key") continue;
          const { end, isAlive, error } = await destroyed({ deletesBy, ...statuses }, body, fate, apiKeyId);
          const what = JSON.stringify({ deletesBy, body, ...statuses, fate, apiKeyId, error });
          // A 404 after a lost deletion counts, although the service may have known nothing of the key.
          expect(isAlive && end === (fate === "lost" ? "done" : "warned"), what).toBe(false);
          expect(isAlive && end === "done", what).toBe(false);
          if (end === "unclear") expect(error?.includes("state delete"), what).toBe(body === "nothing");
          // The ID of an imported key is not known: only a person can delete it.
          const isUnknowable = body === "nothing" && deletesBy === "id";
          if (apiKeyId === right && !isUnknowable) expect(error, what).toBeNull();
        }
});

/** Starts a service and a stack with a key. */
async function start(shape: Shape = {}) {
  const service = await startService(shape);
  const stack = new Stack(service);
  await stack.up({ trigger: "a", overlapDays: 7 });
  return { service, stack };
}

const notices = [expect.stringContaining("did not find") as string];

it("--replace of a key that someone deleted creates one, and ends with a warning", async () => {
  const { service, stack } = await start({ body: BODIES["id, api_key"] });
  service.keys.clear();
  expect(await stack.up(undefined, { replace: true })).toMatchObject({ error: null, notices });
  expect([[...service.keys], stack.leaving]).toEqual([[stack.outputs["apiKey"]], []]);
});

describe("a deletion that fails", () => {
  it("is an error about the address if the list does not answer either", async () => {
    const { service, stack } = await start();
    service.keys.clear();
    service.answers.listWebhooks = () => ({ status: 404 });
    expect((await stack.destroy()).error).toMatch(/^GET http.*returned 404\. Nothing is at this address/);
    service.answers.listWebhooks = () => ({ status: 403 }); // The address is right.
    expect(await stack.destroy()).toMatchObject({ error: null, notices });
  });

  it("names the last resort only for a refusal that stays", async () => {
    const { service, stack } = await start();
    const errors: (string | null)[] = [];
    for (const status of [400, 401, 403, 409, 500]) {
      service.answers.deleteApiKey = () => ({ status });
      errors.push((await stack.destroy()).error);
    }
    const hasLastResort = errors.map((error) => error?.includes(`pulumi state delete '${URN}'`));
    expect(hasLastResort).toEqual([true, false, false, true, false]);
  });

  it("does not keep a removal from sending the others", async () => {
    const { service, stack } = await start();
    const [first = ""] = service.keys;
    await stack.up({ trigger: "b", overlapDays: 7 });
    refuse(service, "deleteApiKey", 403); // The first one.
    const { error, requests } = await stack.destroy();
    expect(requests.filter((request) => request.startsWith("DELETE"))).toHaveLength(2);
    expect(error).toMatch(/returned 403/);
    expect([...service.keys]).toEqual([first]);
    expect(await stack.destroy()).toMatchObject({ error: null, notices });
  });

  it("counts as done when a later call of the process finds no key", async () => {
    const { service, stack } = await start({ body: BODIES["id, key"] });
    const keys = stack.start();
    const remove = () => keys.delete(stack.outputs, { id: stack.entry?.id ?? "", urn: URN });
    const fail = async (perform: () => unknown) => {
      await perform();
      return { status: 500 };
    };
    replaceAnswers(service, "deleteApiKey", fail, 1);
    await expect(remove()).rejects.toThrow("returned 500");
    await remove();
  });
});
