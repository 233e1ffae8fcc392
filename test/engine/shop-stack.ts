import * as pulumi from "@pulumi/pulumi";
import { expect } from "vitest";

import type { Person } from "./follow-steps.ts";
import { declareKey, declareWebhook, type Host, stackFor } from "./support.ts";

type Choose = (key: Record<"apiKey" | "previousApiKey", pulumi.Output<string>>) => pulumi.Input<string>;

interface Rotation {
  readonly trigger?: string | undefined;
  readonly afterDays?: number;
  readonly overlapDays?: number;
}

/** What a test changes in the program of {@link shopFor} between two commands. */
interface Edits {
  rotation?: Rotation | (() => Rotation);
  /** Chooses what the consumers get. @default the current key */
  choose?: Choose | undefined;
  /** Whether the program declares nothing any more. @default false */
  isEmpty?: boolean;
  retainOnDelete?: boolean;
}

/**
 * Creates a stack `dev` with a key, its consumer and a webhook, and a stack `shop` that reads the key.
 *
 * @param isUp Whether both have been deployed.
 */
export async function shopFor(host: Host, { isUp = true, ...edits }: Edits & { isUp?: boolean } = {}) {
  const program: Edits = edits;
  const given = await stackFor(() => {
    if (program.isEmpty) return {};
    const { retainOnDelete = false } = program;
    const rotation = typeof program.rotation === "function" ? program.rotation() : program.rotation;
    const options = { retainOnDelete };
    const isShop = pulumi.getStack() === "shop";
    const checkout = isShop
      ? { apiKey: new pulumi.StackReference("organization/test/dev").requireOutput("apiKey") }
      : declareKey(host, "checkout", rotation ? { rotation: rotation as object } : {}, options);
    if (!isShop) declareWebhook(host, "orders", { webhookId: 101, state: "active" }, options);
    const apiKey = isShop ? checkout.apiKey : (program.choose ?? ((key) => key.apiKey))(checkout as never);
    new pulumi.Stash("consumer", { input: apiKey });
    return { apiKey };
  });
  const { api, stack } = given;
  const shell = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await stack.shell(script);
    expect(code, `${script}\n${stdout}${stderr}`).toBe(0);
    return stdout;
  };
  const up = (name: string) => shell(`pulumi up --skip-preview --stack ${name}`);
  /** Returns the key that the consumer of a stack has. */
  const keyOf = async (name: "dev" | "shop"): Promise<unknown> => {
    const { deployment } = JSON.parse(await shell(`pulumi stack export --show-secrets --stack ${name}`)) as {
      deployment: { resources: { type: string; inputs?: { input?: { plaintext?: string } } }[] };
    };
    const stash = deployment.resources.find(({ type }) => type === "pulumi:index:Stash");
    return JSON.parse(stash?.inputs?.input?.plaintext ?? "null") as unknown;
  };
  if (isUp) {
    await up("dev");
    await shell("pulumi stack init shop");
    await up("shop");
  }
  return {
    ...given,
    program,
    /** Runs commands that must succeed. @returns Their stdout. */
    shell,
    keyOf,
    /** Runs `up` in the other stack. */
    readers: ["in each stack that reads", () => up("shop").then(() => undefined)] satisfies Person,
    /** Lets the service delete keys, which must not be in use any more. */
    service: (words: string, keys: Iterable<string | undefined>): Person => [
      words,
      async () => {
        const used = [await keyOf("dev"), await keyOf("shop")];
        for (const key of keys) {
          expect(used, "a consumer has the key that is deleted").not.toContain(key);
          api.keys.delete(key ?? "no key");
        }
      },
    ],
  };
}
