/**
 * Generates docs/reference.md and provider/schema.json from the TSDoc of the sources. With `--check`, fails if either is out of
 * date.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";

import { ROOT } from "./checkout.ts";
import { referenceOf } from "./reference.ts";
import { schemaOf } from "./schema.ts";
import { readModules } from "./typedoc.ts";

const modules = await readModules();
const files = {
  "docs/reference.md": referenceOf(modules),
  "provider/schema.json": JSON.stringify(schemaOf(modules[0])),
};
for (const [name, text] of Object.entries(files)) {
  const filepath = join(ROOT, name);
  const formatted = await format(text, { ...(await resolveConfig(filepath)), filepath });
  if (!process.argv.includes("--check")) await writeFile(filepath, formatted);
  else if ((await readFile(filepath, "utf8").catch(() => "")) !== formatted) {
    console.error(`${name} is out of date: run \`npm run docs\`.`);
    process.exitCode = 1;
  }
}
