import * as pulumi from "@pulumi/pulumi";
import { expect } from "vitest";

import type { Person } from "./follow-steps.ts";
import { declareKey, declareWebhook, type Host, stackFor } from "./support.ts";

type Choose = (key: Record<"apiKey" | "previousApiKey", pulumi.Output<string>>) => pulumi.Input<string>;

/** What a test changes in the program of {@link shopFor} between two commands. */
interface Edits {
  rotation?: { readonly trigger?: string; readonly afterDays?: number; readonly overlapDays?: number };
  /** Chooses what the consumers get. @default the current key */
  choose?: Choose | undefined;
  /** Whether the program still declares resources. @default true */
  isEmpty?: boolean;
  retain?: boolean;
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
    const { rotation, retain: retainOnDelete = false } = program;
    const options = { retainOnDelete };
    const isShop = pulumi.getStack() === "shop";
    const checkout = isShop
      ? { apiKey: new pulumi.StackReference("organization/test/dev").requireOutput("apiKey") }
      : declareKey(host, "checkout", rotation ? { rotation } : {}, options);
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
    /** The key that the consumer of a stack has. */
    keyOf: async (name: "dev" | "shop"): Promise<unknown> => {
      const { deployment } = JSON.parse(
        await shell(`pulumi stack export --show-secrets --stack ${name}`),
      ) as { deployment: { resources: { type: string; inputs?: { input?: { plaintext?: string } } }[] } };
      const stash = deployment.resources.find(({ type }) => type === "pulumi:index:Stash");
      return JSON.parse(stash?.inputs?.input?.plaintext ?? "null") as unknown;
    },
    /** Runs `up` in the other stack. */
    readers: ["in each stack that reads", () => up("shop").then(() => undefined)] satisfies Person,
    /** Deletes the keys that consumers do not have, as the service does it when asked. */
    service: (words: string, kept: () => unknown): Person => [
      words,
      async () => {
        const key = await kept();
        for (const other of api.keys) if (other !== key) api.keys.delete(other);
      },
    ],
  };
}
