import { join } from "node:path";
import { Application, type DeclarationReflection, LiteralType, ReflectionKind } from "typedoc";

import { ROOT } from "./checkout.ts";

/** The two entry points of the package. */
export type Modules = readonly [program: DeclarationReflection, sandbox: DeclarationReflection];

/** Reads the entry points of the package. @throws {Error} if a comment is missing or contains a dead link */
export async function readModules(): Promise<Modules> {
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

/** Returns the properties of a class or an interface, without inherited ones. */
export function propertiesOf(member: DeclarationReflection): DeclarationReflection[] {
  const kinds = [ReflectionKind.Property, ReflectionKind.Accessor];
  return (member.children ?? []).filter((child) => child.kindOf(kinds) && !child.inheritedFrom);
}

/** Returns the exports and members without a comment. Literals such as `kind: "fin"` need none. */
function undocumented(module: DeclarationReflection): string[] {
  const members = (module.children ?? []).flatMap((member) => [member, ...(member.children ?? [])]);
  return members
    .filter(({ kind, type }) => kind !== ReflectionKind.Reference && !(type instanceof LiteralType))
    .filter(({ comment, signatures = [] }) => !comment && !signatures.some((signature) => signature.comment))
    .map((member) => member.getFullName());
}
