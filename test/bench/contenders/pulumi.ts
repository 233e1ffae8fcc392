import type { Kind } from "../case.ts";
import type { Contender } from "../contender.ts";
import { pulumiSubject, type Surroundings } from "../pulumi-subject.ts";

/** This package. */
export const ours = pulumiContender("ours", "`pulumi-partners`");

/** What the engine takes for resources like ours; the difference to {@link ours} is what we do. */
export const bare = pulumiContender(
  "engine",
  "resources that register and look in state like ours, with handlers that do nothing",
  "bare",
  ["webhooks"],
);

/** What a resource as in Pulumi's documentation costs at the least. */
export const floor = pulumiContender(
  "floor",
  "a `pulumi.dynamic.Resource` whose handlers do nothing and send nothing",
);

/** What one writes by hand. */
export const tutorial = pulumiContender(
  "tutorial",
  "a hand-written `pulumi.dynamic.Resource`: one undici call for each operation and each read",
);

/** A contender in other surroundings than the usual. */
export function under(surroundings: Surroundings, { name, description }: Contender): Contender {
  return pulumiContender(name, description, name, ["webhooks", "keys"], surroundings);
}

/** @param program The name of the file in programs/. */
function pulumiContender(
  name: string,
  description: string,
  program = name,
  kinds: readonly Kind[] = ["webhooks", "keys"],
  surroundings: Surroundings = {},
): Contender {
  return {
    name,
    description,
    unavailable: (kind) => Promise.resolve(kinds.includes(kind) ? null : `measured for ${kinds.join()} only`),
    begin: (kind, count, sandbox) => pulumiSubject({ program, kind, count }, sandbox, surroundings),
  };
}
