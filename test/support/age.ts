import type { TestStack } from "./stack.ts";

const DAY = 86_400_000;

interface StoredKey {
  readonly type: string;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown>;
}

/** Makes the keys of a stack as many days older: what is in state is the only clock that the resource knows. */
export async function age(
  stack: Pick<TestStack, "exportStack" | "importStack">,
  days: number,
): Promise<void> {
  const exported = await stack.exportStack();
  const { resources } = exported.deployment as { resources: StoredKey[] };
  const earlier = (properties: Record<string, unknown>, name: string, length?: number): void => {
    const time = properties[name];
    if (typeof time !== "string") return;
    properties[name] = new Date(Date.parse(time) - days * DAY).toISOString().slice(0, length);
  };
  for (const { inputs, outputs } of resources.filter(({ type }) => type.endsWith(":PartnerApiKey"))) {
    for (const name of ["createdAt", "rotatedAt", "previousExpiresAt"]) earlier(outputs, name);
    for (const name of ["keySince", "rotationDue"]) earlier(inputs, name, "2026-02-19".length);
  }
  await stack.importStack(exported);
}
