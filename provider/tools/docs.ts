/**
 * Generates docs/reference.md and provider/schema.json from the TSDoc of the sources. With `--check`, fails if either is out of
 * date.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { Application, type DeclarationReflection, LiteralType, ReflectionKind } from "typedoc";

import { ROOT } from "./checkout.ts";
import { type Modules, referenceOf } from "./reference.ts";
import { schemaOf } from "./schema.ts";

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

/** Reads the entry points of the package. @throws {Error} if a comment is missing or contains a dead link. */
async function readModules(): Promise<Modules> {
  const app = await Application.bootstrap({
    entryPoints: ["index.ts", "sandbox/sandbox.ts"].map((file) => join(ROOT, "provider/src", file)),
    tsconfig: join(ROOT, "provider/tsconfig.json"),
    excludeExternals: true,
    excludeInternal: true,
    jsDocCompatibility: { defaultTag: false },
    sort: ["source-order"],
    disableSources: true, // Avoids a warning about a missing Git remote.
    validation: { notExported: true, invalidLink: true, notDocumented: false },
    treatWarningsAsErrors: true,
    treatValidationWarningsAsErrors: true,
    logLevel: "Warn",
  });
  const project = await app.convert();
  if (!project) throw new Error("TypeDoc could not read the sources.");
  app.validate(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error("TypeDoc reported problems.");

  const [program, sandbox] = project.children ?? [];
  if (!program || !sandbox) throw new Error("An entry point is missing.");
  const uncommented = [program, sandbox].flatMap(undocumented);
  if (uncommented.length > 0) throw new Error(`Without a comment: ${uncommented.join(", ")}.`);
  return [program, sandbox];
}

/** Returns the exports and members without a comment. Literals such as `kind: "fin"` need none. */
function undocumented(module: DeclarationReflection): string[] {
  const members = (module.children ?? []).flatMap((member) => [member, ...(member.children ?? [])]);
  return members
    .filter(({ kind, type }) => kind !== ReflectionKind.Reference && !(type instanceof LiteralType))
    .filter(({ comment, signatures = [] }) => !comment && !signatures.some((signature) => signature.comment))
    .map((member) => member.getFullName());
}
