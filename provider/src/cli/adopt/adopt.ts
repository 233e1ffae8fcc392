import { resolve } from "node:path";

import type { Command } from "../command.js";
import type { Adoption } from "./adoption.js";
import { openContext } from "./context.js";
import { writeNewFiles, type NewFile } from "./files.js";
import { ADOPT_HELP } from "./help.js";
import { importFile } from "./import-file.js";
import { adoptKey } from "./key.js";
import { readKey } from "./key-source.js";
import { parseAdoptOptions, type AdoptOptions } from "./options.js";
import { report } from "./report.js";
import { adoptWebhooks } from "./webhooks.js";

/** `pulumi-partners adopt`: writes the declarations of what exists, and changes nothing. */
export const adoptCommand: Command = {
  summary: "write the program, and the import file, for what exists already",
  run: async (args) => {
    const options = parseAdoptOptions(args);
    if (options === null) {
      process.stdout.write(ADOPT_HELP);
      return 0;
    }
    const { webhooks, key, importFile, cwd, stack } = options;
    const apiKey = key === null ? null : await readKey(key.variable); // Before anything is run that could inherit it.
    const context = await openContext(cwd, stack);
    const adoption = await (key === null || apiKey === null
      ? adoptWebhooks(webhooks, context)
      : adoptKey(key, apiKey, importFile !== null, context));
    await deliver(adoption, options);
    return 0;
  },
};

/** Writes the program and the file, and says what to do with them. The import file never goes to stdout. */
async function deliver(adoption: Adoption, options: AdoptOptions): Promise<void> {
  const { program, entries } = adoption;
  const { out, cwd, force } = options;
  const importPath = entries.length > 0 ? options.importFile : null;
  const files: NewFile[] = [
    ...(program === null || out === null
      ? []
      : [{ path: resolve(cwd, out), text: program, isPrivate: false }]),
    ...(importPath === null
      ? []
      : [{ path: resolve(cwd, importPath), text: importFile(entries), isPrivate: true }]),
  ];
  await writeNewFiles(files, force);
  if (program !== null && out === null) process.stdout.write(program);
  process.stderr.write(
    report(adoption, options)
      .map((text) => `${text}\n`)
      .join(""),
  );
}
