import { CommandError } from "../command.js";
import { ofDefaultAccount, type StackResource } from "../stack-resources.js";
import type { AdoptContext } from "./context.js";

/** What the stack manages of the account, by id of the webhook. */
export function managedWebhooks({ account, stack }: AdoptContext): ReadonlyMap<number, StackResource> {
  const own = ofDefaultAccount(stack?.resources ?? [], account);
  return new Map(
    own.flatMap((resource) => (resource.webhookId === null ? [] : [[resource.webhookId, resource]])),
  );
}

/** @throws {CommandError} if the stack has another resource of one of the names: to the engine it would be the same one. */
export function assertNamesFree(
  kind: StackResource["kind"],
  names: readonly string[],
  { stack }: AdoptContext,
): void {
  const used = new Set(stack?.resources.filter((resource) => resource.kind === kind).map(({ name }) => name));
  const taken = names.find((name) => used.has(name));
  if (taken === undefined) return;
  const option = kind === "apiKey" ? "--name" : "--prefix";
  throw new CommandError(
    `The stack has something else called ${taken}, so nothing was written. Choose another ${option}.`,
  );
}
