import type { Kind } from "../case.ts";
import type { Contender } from "../contender.ts";
import { pulumiSubject, type Surroundings } from "../pulumi-subject.ts";

type PulumiContender = Omit<Contender, "begin"> & {
  begin(
    ...args: [...Parameters<Contender["begin"]>, surroundings?: Surroundings]
  ): ReturnType<Contender["begin"]>;
};

/** This package. */
export const ours = pulumiContender("ours", "`pulumi-partners`");

/** What the engine takes for resources like ours; the difference to {@link ours} is what we do. */
export const engine = pulumiContender(
  "engine",
  "resources that register and look in state like ours, with handlers that do nothing",
  ["webhooks"],
);

/** What a resource as in Pulumi's documentation costs, whatever it does. */
export const floor = pulumiContender(
  "floor",
  "a `pulumi.dynamic.Resource` whose six handlers do nothing and send nothing",
);

/** What one writes by hand. */
export const tutorial = pulumiContender(
  "tutorial",
  "a hand-written `pulumi.dynamic.Resource`: one undici call for each operation and each read",
);

/** A contender in other surroundings than the usual. */
export function under(surroundings: Surroundings, contender: PulumiContender): Contender {
  return {
    ...contender,
    begin: (kind, count, sandbox) => contender.begin(kind, count, sandbox, surroundings),
  };
}

/** @param name Also that of its file in programs/. */
function pulumiContender(
  name: string,
  description: string,
  kinds: readonly Kind[] = ["webhooks", "keys"],
): PulumiContender {
  return {
    name,
    description,
    unavailable: (kind) => Promise.resolve(kinds.includes(kind) ? null : `measured for ${kinds.join()} only`),
    begin: (kind, count, sandbox, surroundings = {}) =>
      pulumiSubject({ program: name, kind, count }, sandbox, surroundings),
  };
}
