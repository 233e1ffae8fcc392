import { printable } from "../output.js";
import { quoteForShell } from "../shell.js";
import type { Adoption } from "./adoption.js";
import type { AdoptOptions } from "./options.js";

/** What to tell the person, beside the program: what was left out, and the commands to go on with. */
export function report(adoption: Adoption, options: AdoptOptions): string[] {
  const { program, entries } = adoption;
  const notes = adoption.notes.map(printable);
  if (program === null) return notes;
  const { importFile, key, out } = options;
  const imports = importFile !== null && entries.length > 0;
  const told = [...notes];
  if (importFile !== null && !imports)
    told.push(`Nothing can be imported, so ${importFile} was not written.`);
  if (imports && key !== null)
    told.push(
      `WARNING: ${importFile} holds the key in clear, readable for you alone. Delete it after the import.`,
    );
  const place = out === null ? "Make this part of the program" : `Load ${out} from the program`;
  const commands = imports ? importCommands(importFile, options) : upCommands(adoption, options);
  return [...told, `${place}, then run:`, ...commands.map((command) => `  ${command}`)];
}

function importCommands(file: string, { key, stack }: AdoptOptions): string[] {
  const path = quoteForShell(file);
  return [
    `pulumi import --file ${path} --generate-code=false --protect=false${stackFlag(stack)}`,
    ...(key === null ? [] : [`rm ${path}`]),
    `pulumi preview --expect-no-changes${stackFlag(stack)}`,
  ];
}

function upCommands({ setting }: Adoption, { key, stack }: AdoptOptions): string[] {
  const up = `pulumi up${stackFlag(stack)}`;
  if (key === null || setting === null) return [up];
  // Without --api-key-env, the CLI asks for the value.
  const source = key.variable === null ? "" : `printf %s "$${key.variable}" | `;
  return [`${source}pulumi config set --secret ${setting}${stackFlag(stack)}`, up];
}

function stackFlag(stack: string | undefined): string {
  return stack === undefined ? "" : ` --stack ${quoteForShell(stack)}`;
}
