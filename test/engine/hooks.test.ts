import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { LONG } from "../support/random.ts";
import { SHAPES, type Fault, type Shape } from "../support/sandbox.ts";
import { HOSTS } from "../support/spawned-plugin.ts";
import { countRequests, Native, sandboxStack } from "./support.ts";

// What a repeated call does is the same in both hosts, so outside of a long run, each test uses one.

/** Two strings may be the key. Only a setting can tell. */
const AMBIGUOUS: Shape = {
  ...SHAPES.flat,
  apiKey: ({ key, id }) => ({ token: key, clientSecret: `cs_9f8e7d6c5b4a3f2e1d_${id}` }),
};
const LOST: Fault = { kind: "reset", operation: "createApiKey", effect: true };
const MAY_EXIST = /A key may have been created .* created at about ([-0-9T:]+Z)/;
/** The request that checks the access token before a key is created, and the creation. */
const CREATED = { GET: 1, POST: 1 };
const REPLACED = { ...CREATED, DELETE: 1 };

/**
 * Declares a key whose failed calls a hook repeats twice. `failures`: what the hook saw, the latest error
 * first.
 */
async function retriedKey(host: "dynamic" | "native", options: pulumi.CustomResourceOptions = {}) {
  const args: { rotation: partners.RotationArgs } = { rotation: { trigger: "1", overlapDays: 0 } };
  const failures: (readonly string[])[] = [];
  const started = await sandboxStack(
    () => {
      let retries = 0;
      const again = new pulumi.ErrorHook("again", (call) => {
        failures.push(call.errors);
        return ++retries <= 2;
      });
      const opts = { ...options, hooks: { onError: [again] } };
      const key =
        host === "native"
          ? new Native("PartnerApiKey", "checkout", args, opts)
          : new partners.PartnerApiKey("checkout", args, opts);
      return Promise.resolve({ apiKey: key.apiKey });
    },
    { shape: AMBIGUOUS },
  );
  await started.stack.configure({ responses: '{"apiKey":"/token"}' });
  return { ...started, args, failures };
}

it.each(LONG ? HOSTS : ["dynamic" as const])("a retry hook creates no second key (%s)", async (host) => {
  const { sandbox, stack, run, args, failures } = await retriedKey(host);
  sandbox.inject(LOST);
  const lost = await run("up");
  expect(lost.requests).toEqual(CREATED);
  expect(lost.error).toMatch(MAY_EXIST);
  const [first = ""] = failures[0] ?? [];
  expect(failures[2]).toEqual([first, first, first]);

  // Until someone has looked for the key, no other one is created.
  const env = await goneKeys(run);
  // Refusals have no effect, so the retries are sent.
  sandbox.inject({ kind: "status", status: 403, operation: "createApiKey", times: 2 });
  expect(await stack.up({ env })).toMatchObject({ ok: true });
  expect(countRequests(sandbox)).toEqual({ POST: 3 });
  const { apiKey } = await stack.outputs();

  // Without the mapping, the response of the first call is kept, and the retries read it.
  await stack.configure({ responses: "{}" });
  args.rotation = { trigger: "2", overlapDays: 7 };
  const unread = await run("up");
  expect(unread).toMatchObject({
    requests: CREATED,
    error: expect.stringContaining("not found in") as string,
  });
  await stack.configure({ responses: '{"apiKey":"/token"}' });
  expect(await run("up")).toMatchObject({ error: "", requests: {} });
  const outputs = await stack.outputs();
  expect(sandbox.apiKeys).toEqual([expect.anything(), apiKey, outputs["apiKey"]]);
});

it.each(LONG ? HOSTS : ["native" as const])(
  "a replacement under the same URN is not a retry (%s)",
  async (host) => {
    const { sandbox, stack, run, args } = await retriedKey(host, { deleteBeforeReplace: true });
    expect(await run("up")).toMatchObject({ error: "" });
    args.rotation = { trigger: "2", overlapDays: 0 };
    expect(await run("up")).toMatchObject({ error: "", requests: REPLACED });
    const type = host === "native" ? "partners:index" : "pulumi-nodejs:dynamic/partners";
    const urn = `urn:pulumi:dev::test::${type}:PartnerApiKey::checkout`;
    expect(await run("up", "--replace", urn)).toMatchObject({ error: "", requests: REPLACED });
    expect(await run("up", "--target-replace", urn)).toMatchObject({
      error: "",
      requests: REPLACED,
    });
    expect(sandbox.apiKeys).toHaveLength(1);
    // The old key is gone. A creation that is lost is not repeated until someone has looked for the key.
    args.rotation = { trigger: "3", overlapDays: 0 };
    sandbox.inject(LOST);
    const lost = await run("up");
    expect(lost).toMatchObject({ requests: REPLACED });
    expect(lost.error).toMatch(MAY_EXIST);
    expect(await stack.up({ env: await goneKeys(run) })).toMatchObject({ ok: true });
    expect(countRequests(sandbox)).toEqual({ POST: 1 });
  },
);

/** Runs an update that is blocked by a lost creation. @returns The environment that its error names. */
async function goneKeys(
  run: (operation: "up") => Promise<{ readonly error: string; readonly requests: object }>,
): Promise<Record<string, string>> {
  const { error, requests } = await run("up");
  expect(requests).toEqual({});
  const [, name = ""] = /with PARTNERS_GONE_KEYS=(\S+) in the environment/.exec(error) ?? [];
  return { PARTNERS_GONE_KEYS: name };
}
