/** Reads the public API with TypeDoc, for the schema and the pages, and the texts of its comments. */
import { join } from "node:path";
import { Application, type CommentDisplayPart, type DeclarationReflection, ReflectionKind } from "typedoc";

import { ROOT } from "../checkout.ts";

/** The two entry points of the package. */
export interface Modules {
  readonly program: DeclarationReflection;
  readonly sandbox: DeclarationReflection;
}

/** Reads the entry points of the package. @throws {Error} if a comment is missing or contains a dead link. */
export async function readModules(): Promise<Modules> {
  const app = await Application.bootstrap({
    entryPoints: ["index.ts", "sandbox/sandbox.ts"].map((file) => join(ROOT, "provider/src", file)),
    tsconfig: join(ROOT, "provider/tsconfig.json"),
    excludeExternals: true,
    excludeInternal: true,
    jsDocCompatibility: { defaultTag: false },
    sort: ["source-order"],
    skipErrorChecking: true, // `npm run typecheck` does it.
    disableSources: true, // Avoids a warning about a missing Git remote.
    validation: { notExported: true, invalidLink: true, notDocumented: true },
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
  return { program, sandbox };
}

/** Returns an export. @throws {Error} if there is none. */
export function findExport(module: DeclarationReflection, name: string): DeclarationReflection {
  const found = module.children?.find((one) => one.name === name);
  if (!found) throw new Error(`${name} is not exported.`);
  return found;
}

/** Returns the properties of a class or an interface, without inherited ones. */
export function propertiesOf(member: DeclarationReflection): DeclarationReflection[] {
  const kinds = [ReflectionKind.Property, ReflectionKind.Accessor];
  return (member.children ?? []).filter((child) => child.kindOf(kinds) && !child.inheritedFrom);
}

/** Returns the comment of a class or an interface, or that of a function. */
export function commentOf({ comment, signatures = [] }: DeclarationReflection) {
  return comment ?? signatures[0]?.comment;
}

/** Renders the text of a comment. @param link Renders the `{@link …}` to a name. */
export function prose(
  parts: readonly CommentDisplayPart[] | undefined,
  link: (name: string) => string = (name) => `\`${name}\``,
): string {
  const texts = (parts ?? []).map((part) => (part.kind === "inline-tag" ? link(nameOf(part)) : part.text));
  return texts.join("").trim();
}

/** Returns the name that a link shows: `account` of `Provider` for `ProviderArgs.account`. */
function nameOf({ text }: CommentDisplayPart): string {
  const [owner = "", member] = text.replace(/Args\b/, "").split(".");
  return member === undefined ? owner : `${owner}.${member}`;
}
