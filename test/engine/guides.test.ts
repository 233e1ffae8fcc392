/** The steps of the guides, followed in both forms. The runbooks have tests of their own. */
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";

import { page } from "../unit/docs/pages.ts";
import { LONG } from "../support/random.ts";
import { follow, nothing } from "./follow-steps.ts";
import { shopFor } from "./shop-stack.ts";
import {
  blocksOf,
  countRequests,
  declareKey,
  HOSTS,
  loseAnswers,
  refuse,
  stackFor,
  statesOf,
  UNCHANGED,
} from "./support.ts";

const KEYS = "docs/keys.md";
const TROUBLE = "docs/troubleshooting.md";
const RUNBOOKS = "docs/runbooks.md";
const PIPELINES = "docs/pipelines.md";
/** The type of a key in a URN, as the pages have it and as it is in the other form. */
const TYPES = {
  dynamic: "pulumi-nodejs:dynamic/partners:PartnerApiKey",
  native: "partners:index:PartnerApiKey",
} as const;

describe.each(HOSTS)("with the %s form,", (host) => {
  const it = test.runIf(LONG);
  const here = {
    "my-stack": "test",
    [`::${TYPES.dynamic}`]: `::${TYPES[host]}`,
    [`::${TYPES.native}`]: `::${TYPES[host]}`,
  };

  it("a leaked key ends, and all consumers have the new one", async () => {
    const { api, stack, run, keyOf, readers } = await shopFor(host);
    const [leaked = ""] = api.keys;
    const people = [readers, ["Give the key to the consumers outside", nothing]] as const;
    const [urns = "", replaced = "", shown = ""] = await follow(KEYS, "## A leaked or deleted key", {
      stack,
      people,
      here,
    });
    expect(urns).toContain(`urn:pulumi:dev::test::${TYPES[host]}::checkout`);
    expect(replaced).toContain("+-1 replaced");
    const [key = ""] = api.keys;
    expect([api.keys.size, api.keys.has(leaked)]).toEqual([1, false]);
    expect([await keyOf("dev"), await keyOf("shop"), shown.trim()]).toEqual([key, key, key]);
    expect(await run("up", UNCHANGED)).toMatchObject({ error: "" });
  });

  it("a lost key is deleted by the service, and another one is created", async () => {
    const { api, stack, run, shell, keyOf } = await shopFor(host, {
      rotation: () => ({ afterDays: 90, overlapDays: 7, trigger: new pulumi.Config().get("rotate") }),
    });
    const [previous] = api.keys;
    loseAnswers(api, "createApiKey");
    await shell("pulumi config set rotate 2026-01-01");
    expect((await run("up")).error).toContain("A key may have been created");
    const [, lost = ""] = api.keys;
    expect((await run("up")).error).not.toBe("");
    const people = [
      ["Ask the service to delete it", () => void api.keys.delete(lost)],
      ["If the message says what has to be corrected", nothing],
    ] as const;
    await follow(TROUBLE, "## A key may exist", { stack, people });
    expect([...api.keys]).toEqual([previous, await keyOf("dev")]);
    expect(await run("up", UNCHANGED)).toMatchObject({ error: "" });
  });

  it("a state file that was cut off is restored", async () => {
    const { api, stack, run, shell, keyOf } = await shopFor(host);
    const [key] = api.keys;
    const folder = join(stack.backendDir, ".pulumi/stacks/test");
    await truncate(join(folder, "dev.json"), 1000);
    const failed = (await run("up")).error;
    expect(failed).toContain("unexpected end of JSON input");
    expect(failed).toContain("failed to load checkpoint");
    countRequests(api);
    const people = [
      ["Change to the folder of the backend", () => ({ folder: stack.backendDir })],
      ["Otherwise, run `pulumi up`", () => shell("pulumi up").then(nothing)],
    ] as const;
    await follow(RUNBOOKS, "### A file was cut off", { stack, people, here });
    expect([await keyOf("dev"), [...api.keys]]).toEqual([key, [key]]);
    expect(await run("up", UNCHANGED)).toMatchObject({ error: "" });
  });

  it("a lock that was cut off is removed", async () => {
    const { stack, run, shell } = await shopFor(host, { isUp: false });
    expect(await run("up")).toMatchObject({ error: "" });
    const folder = join(stack.backendDir, ".pulumi/locks/organization/test/dev");
    await shell(`mkdir -p ${folder}; printf '{' > ${folder}/0f1e2d3c-0000-4000-8000-000000000000.json`);
    const { error } = await run("up");
    expect(error).toContain("unexpected end of JSON input");
    expect(error).not.toContain("failed to load checkpoint");
    const [, command = "no command"] = /it was a lock, which `([^`]+)`/.exec(page(RUNBOOKS)) ?? [];
    await shell(command);
    expect(await run("up", UNCHANGED)).toMatchObject({ error: "" });
  });

  it("a key moves to another stack, and stays as it is", async () => {
    let owner = "test";
    const { api, stack } = await stackFor(() => {
      if (pulumi.getProject() === owner) declareKey(host, "checkout");
    });
    const shell = async (script: string): Promise<void> => {
      expect(await stack.shell(script)).toMatchObject({ code: 0 });
    };
    await shell("mkdir other; printf 'name: other\nruntime: nodejs\n' > other/Pulumi.yaml");
    await shell("cd other; pulumi stack init dev; pulumi up");
    await shell("pulumi up");
    countRequests(api);
    const people = [
      ["Move its declaration", () => void (owner = "other")],
      [
        "In the folder of each of the two projects",
        () => shell("cd other; pulumi preview --expect-no-changes"),
      ],
    ] as const;
    await follow(KEYS, "## Move a key to another stack", { stack, people, here });
    expect([api.keys.size, countRequests(api)]).toEqual([1, {}]);
    await shell("cd other; pulumi destroy");
    expect(api.keys.size).toBe(0);
  });

  it("a plan fails when a key has become due since, and a new one applies", async () => {
    const rotation = { afterDays: 90, overlapDays: 7 };
    const { api, stack, shell } = await shopFor(host, { isUp: false, rotation });
    await shell("pulumi up");
    const [, save = "", apply = "", quoted = ""] =
      /`(pulumi preview --save-plan [\w.]+)`[^`]*`up`[^`]*`(pulumi up --plan [\w.]+)`[^`]*`([^`]+)`/.exec(
        page(PIPELINES),
      ) ?? [];
    expect(quoted).toBe("update is not allowed by the plan");
    const [clock = ""] = await blocksOf("docs/testing.md", "js", "   ");
    await stack.write("shift.cjs", clock);
    const later = 'export NODE_OPTIONS="--require $PWD/shift.cjs" REHEARSE_DAYS=90';
    await shell(save);
    const { code, stdout } = await stack.shell(`${later}; ${apply}`);
    expect([code, stdout]).toEqual([1, expect.stringContaining(quoted)]);
    expect(api.keys.size).toBe(1);
    await shell(`${later}; ${save}; ${apply}`);
    expect(api.keys.size).toBe(2);
  });

  it.each([true, false])("the package is removed (what it managed stays: %s)", async (retainOnDelete) => {
    const { api, stack, run, shell, program } = await shopFor(host, { isUp: false });
    await stack.configure({ baseUrl: api.url, accessToken: api.accessToken });
    expect(await run("up")).toMatchObject({ error: "" });
    const keys = retainOnDelete ? [...api.keys] : [];
    const people = [
      [
        "To leave keys and webhooks",
        async () => {
          program.retainOnDelete = retainOnDelete;
          await shell("pulumi up");
        },
      ],
      [
        "Remove the resources",
        async () => {
          program.isEmpty = true;
          await shell("pulumi up");
        },
      ],
    ] as const;
    await follow("docs/installation.md", "## Stop using the package", { stack, people });
    expect([[...api.keys], statesOf(api)[101]]).toEqual([keys, "active"]);
    expect(await run("up", UNCHANGED)).toMatchObject({ error: "" });
    expect(await stack.stateFile()).not.toMatch(/partners|pulumi-nodejs/);
  });

  test.runIf(LONG || host === "native")(
    "drift is found without being repaired, by its exit code",
    async () => {
      const { api, stack, run } = await shopFor(host, { isUp: false });
      expect(await run("up")).toMatchObject({ error: "" });
      countRequests(api);
      for (const change of ["createApiKey", "deleteApiKey", "setWebhookState"] as const)
        refuse(api, change, 403, 1e9);
      const people = [["Read the exit code", nothing]] as const;
      const heading = "## Find drift without repairing it";
      await follow(PIPELINES, heading, { stack, people });
      const [check = ""] = (await blocksOf(PIPELINES, "sh", "   ")).filter((block) =>
        block.includes("--non-interactive"),
      );
      api.webhooks.set(101, "disabled");
      const drifted = await stack.shell(check);
      const [, found = "none"] = /names the webhook: `([^`]+)`/.exec(page(PIPELINES)) ?? [];
      expect(drifted).toMatchObject({ code: 7, stdout: expect.stringContaining(found) as string });
      api.webhooks.delete(101);
      expect(await stack.shell(check)).toMatchObject({ code: 1 });
      expect(Object.keys(countRequests(api))).toEqual(["GET"]);
    },
  );
});
