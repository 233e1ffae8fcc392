// Fails if a killed run or a lost response may have left a key that is in no stack:
//   pulumi stack export | node ci/interrupted.ts
// With --lost, it prints only the times of the lost responses, for PARTNERS_GONE_KEYS.
// Run it before `up`: afterwards, Pulumi no longer knows which keys the killed run was rotating.
import { argv, stdin } from "node:process";
import { json } from "node:stream/consumers";

interface Resource {
  readonly urn: string;
  readonly type: string;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** The parts of a state that this script reads. It prints no secret: the state holds those encrypted. */
interface State {
  readonly deployment: {
    readonly manifest: { readonly time: string };
    readonly resources?: readonly Resource[];
    readonly pending_operations?: readonly { readonly type: string; readonly resource: Resource }[];
  } | null;
}

const { deployment } = (await json(stdin)) as State;
const isKey = ({ type }: Resource): boolean => type.endsWith(":PartnerApiKey");
const nameOf = ({ urn }: Resource): string => urn.split("::").slice(3).join("::");

// A rotation in place is an update.
const interrupted = (deployment?.pending_operations ?? []).filter(
  ({ type, resource }) => isKey(resource) && (type === "creating" || type === "updating"),
);
const keys = (deployment?.resources ?? []).filter(isKey);
const lost = keys.flatMap((key) => {
  const at = key.outputs?.["lostCreationAt"];
  return typeof at === "string" ? { key, at } : [];
});
if (argv.includes("--lost")) console.log(lost.map(({ at }) => at).join());
else if (deployment && interrupted.length + lost.length > 0) {
  const killedAt = `${deployment.manifest.time.slice(0, 16)}Z`;
  console.log(`A key may have been created that is in no stack:
${[
  ...interrupted.map(
    ({ type, resource }) => `  ${nameOf(resource)}, interrupted while ${type}, before ${killedAt}`,
  ),
  ...lost.map(({ key, at }) => `  ${nameOf(key)}, whose response was lost at ${at}`),
].join("\n")}
Keys of this stack:
${keys.map(described).join("\n") || "  none"}
Look at the service for a key from about one of these times that none of your stacks has, and delete only
that one.
Then run the task "forget-interrupted", and the failed job again.`);
  process.exitCode = 1;
}

function described(key: Resource): string {
  const { hint, createdAt, previousExpiresAt } = key.outputs ?? {};
  const parts = [
    typeof hint === "string" && `ends in ${hint}`,
    typeof createdAt === "string" && `created ${createdAt}`,
    typeof previousExpiresAt === "string" && `and its previous key, valid until ${previousExpiresAt}`,
  ];
  return `  ${nameOf(key)}: ${parts.filter(Boolean).join(", ")}`;
}
