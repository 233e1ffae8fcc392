import type { Explanation, ResponseMapping } from "../../api/responses.js";

/** Where things were recognised, as `webhookId "/id", webhookState "/state"`. */
export function describePlaces(explanation: Explanation | null): string {
  return Object.entries(explanation?.pointers ?? {})
    .map(([name, pointers]) => `${name} ${pointers.map((pointer) => JSON.stringify(pointer)).join(" and ")}`)
    .join(", ");
}

/**
 * The commands, or the variables, that say what could not be recognised in a response.
 *
 * @param mapping What has been said so far: a variable has to say it again.
 * @param inProject Whether there is a stack whose configuration can be set.
 */
export function mappingRemedy(
  explanation: Explanation | null,
  mapping: ResponseMapping,
  inProject: boolean,
): string[] {
  if (!explanation?.missing) return [];
  const { setting, candidates } = explanation.missing;
  if (setting === "active") return sayWords(mapping, inProject);
  const usable = candidates.filter((pointer) => !pointer.includes("*")); // What may be data is not named in full.
  const pointers = usable.length > 0 ? usable : ["<pointer>"];
  const lines = pointers.map((pointer) =>
    inProject ? set(setting, pointer) : put({ ...mapping, [setting]: pointer }),
  );
  return lines.length > 1 ? ["One of these is right:", ...lines] : lines;
}

function sayWords(mapping: ResponseMapping, inProject: boolean): string[] {
  const [active, disabled] = ["<value that means active>", "<value that means disabled>"];
  if (!inProject) return [put({ ...mapping, active: [active], disabled: [disabled] })];
  return [set("active[0]", active), set("disabled[0]", disabled)];
}

function set(member: string, value: string): string {
  return `pulumi config set --path 'partners:responses.${member}' ${/^[\w/-]+$/.test(value) ? value : quote(value)}`;
}

function put(responses: ResponseMapping): string {
  return `export PARTNERS_RESPONSES=${quote(JSON.stringify(responses))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
