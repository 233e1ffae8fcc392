import { join } from "node:path";
import { Application, type DeclarationReflection, LiteralType, ReflectionKind } from "typedoc";

import { ROOT } from "./checkout.ts";

/** What a program imports, and what a test imports. */
export type Modules = readonly [program: DeclarationReflection, sandbox: DeclarationReflection];

/** The entry points of the package with their comments. @throws {Error} if a comment is missing, or leads nowhere. */
export async function readModules(): Promise<Modules> {
  const app = await Application.bootstrap({
    entryPoints: ["index.ts", "sandbox/sandbox.ts"].map((file) => join(ROOT, "provider/src", file)),
    tsconfig: join(ROOT, "provider/tsconfig.json"),
    excludeExternals: true,
    excludeInternal: true,
    jsDocCompatibility: { defaultTag: false },
    sort: ["source-order"],
    disableSources: true, // The page links to none; without a git remote there would be a warning.
    validation: { notExported: true, invalidLink: true, notDocumented: false },
    treatWarningsAsErrors: true,
    treatValidationWarningsAsErrors: true,
    logLevel: "Warn",
  });
  const project = await app.convert();
  if (!project) throw new Error("TypeDoc could not read the sources.");
  app.validate(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error("See what TypeDoc says above.");

  const [program, sandbox] = project.children ?? [];
  if (!program || !sandbox) throw new Error("An entry point is missing.");
  const silent = [program, sandbox].flatMap(undocumented);
  if (silent.length > 0) throw new Error(`Without a comment: ${silent.join(", ")}.`);
  return [program, sandbox];
}

/** The properties of a class or an interface that are its own. */
export function propertiesOf(member: DeclarationReflection): DeclarationReflection[] {
  const kinds = [ReflectionKind.Property, ReflectionKind.Accessor];
  return (member.children ?? []).filter((child) => child.kindOf(kinds) && !child.inheritedFrom);
}

/** Exported names, and members of them, that have no comment. A literal (`kind: "fin"`) speaks for itself. */
function undocumented(module: DeclarationReflection): string[] {
  const members = (module.children ?? []).flatMap((member) => [member, ...(member.children ?? [])]);
  return members
    .filter(({ kind, type }) => kind !== ReflectionKind.Reference && !(type instanceof LiteralType))
    .filter(({ comment, signatures = [] }) => !comment && !signatures.some((signature) => signature.comment))
    .map((member) => member.getFullName());
}
