import type * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { LONG } from "../support/random.ts";
import { HOSTS, type Host } from "../support/spawned-plugin.ts";
import { countRequests, Native, sandboxStack } from "./support.ts";

// What happens to a key is the same in both hosts, so outside of a long run, each test uses one.

/** Returns the class for a key. */
function keyClass(
  host: Host,
): (
  name: string,
  args: partners.PartnerApiKeyArgs,
  options?: pulumi.CustomResourceOptions,
) => partners.PartnerApiKey | Native {
  return host === "native"
    ? (name, args, options) => new Native("PartnerApiKey", name, { ...args }, options)
    : (name, args, options) => new partners.PartnerApiKey(name, args, options);
}

it.each(LONG ? HOSTS : ["dynamic" as const])(
  "a service with one key for each account loses none (%s)",
  async (host) => {
    const newKey = keyClass(host);
    let rotation: partners.RotationArgs = { trigger: "1", overlapDays: 0 };
    let isTwice = false;
    const program = () => {
      const key = newKey("checkout", { rotation });
      if (isTwice) newKey("billing", { rotation }, { dependsOn: key });
      return Promise.resolve({ apiKey: key.apiKey });
    };
    const env = { PARTNERS_ACCESS_TOKEN: "" };
    const { sandbox, stack, run } = await sandboxStack(program, { keys: "same" }, { env });

    // A stack without webhooks finds out in a preview as well that its token is rejected.
    await stack.configure({ accessToken: "wrong-token" });
    expect((await run("preview")).error).toMatch(/401(.|\n)*\[PARTNERS_STATUS\]/);
    await stack.configure({ accessToken: sandbox.accessToken });
    expect(await stack.up()).toMatchObject({ ok: true });
    const { apiKeys } = sandbox;

    const expectRefused = async (): Promise<void> => {
      const { ok, stdout } = await stack.up();
      expect(ok, stdout).toBe(false);
      expect(stdout).toMatch(/The server returned key sha256:\w+, which .*checkout.* already has/);
      expect(sandbox.apiKeys).toEqual(apiKeys);
      expect(await stack.outputs()).toEqual({ apiKey: apiKeys[0] });
    };
    isTwice = true;
    await expectRefused();
    isTwice = false;
    for (const overlapDays of [7, 0]) {
      rotation = { trigger: "2", overlapDays };
      await expectRefused();
    }
    sandbox.clearRequests();
    expect(await stack.destroy()).toMatchObject({ ok: true });
    expect(countRequests(sandbox)).toEqual({ DELETE: 1 });
    expect(sandbox.apiKeys).toEqual([]);
  },
);

it.each(LONG ? HOSTS : ["native" as const])(
  "a replacement whose key is not found does not hide the key that is in use (%s)",
  async (host) => {
    const newKey = keyClass(host);
    let rotation: partners.RotationArgs = { trigger: "1", overlapDays: 0 };
    const program = () => Promise.resolve({ apiKey: newKey("checkout", { rotation }).apiKey });
    const { sandbox, stack } = await sandboxStack(program);
    expect(await stack.up()).toMatchObject({ ok: true });
    const [used] = sandbox.apiKeys;
    rotation = { trigger: "2", overlapDays: 0 };
    await stack.configure({ responses: '{"apiKey":"/unknown"}' });
    const failed = await stack.up();
    expect(failed.ok).toBe(false);
    const type = host === "native" ? "partners:index" : "pulumi-nodejs:dynamic/partners";
    const others = await stack.up({
      flags: ["--exclude", `urn:pulumi:dev::test::${type}:PartnerApiKey::checkout`],
    });
    expect(others.ok, others.stdout).toBe(true);
    expect(await stack.outputs()).toEqual({ apiKey: used });

    await stack.configure({ responses: "{}" });
    expect(await stack.up()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).not.toContain(used);
    expect(await stack.outputs()).toEqual({ apiKey: sandbox.apiKeys[0] });
    expect(await stack.destroy()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toEqual([]);
  },
);
