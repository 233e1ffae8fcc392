/**
 * docs/reference.md from the TSDoc of what users import: `npm run docs` writes it, and with `--check` it fails if the page is
 * not what the sources say. TypeDoc reads the sources; the page is our own, as its themes make one page for each name.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { Application, LiteralType, ReflectionKind, type DeclarationReflection } from "typedoc";

import type { Anchors } from "./reference/comment.ts";
import { renderModule } from "./reference/render.ts";

const PROVIDER = join(import.meta.dirname, "../../provider");
const PAGE = join(import.meta.dirname, "../../docs/reference.md");

const INTRODUCTION = `<!-- Made by \`npm run docs\` from the comments in provider/src. Change those. -->

# Reference

What a program imports from \`pulumi-partners\`, and below it what a test imports from \`pulumi-partners/sandbox\`. An
\`Input<T>\` is a \`T\`, a promise of one, or an output of another resource. How to set up an account: [configuration](configuration.md).`;

const SANDBOX = `# The sandbox: \`pulumi-partners/sandbox\``;

/** The page as it should be. @throws {Error} if a comment is missing, or leads nowhere. */
export async function reference(): Promise<string> {
  const app = await Application.bootstrap({
    entryPoints: ["index.ts", "sandbox/sandbox.ts"].map((file) => join(PROVIDER, "src", file)),
    tsconfig: join(PROVIDER, "tsconfig.json"),
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
  const anchors = anchorsOf([program, sandbox]);
  const blocks = [
    INTRODUCTION,
    ...renderModule(program, anchors),
    SANDBOX,
    proseOfModule(sandbox),
    ...renderModule(sandbox, anchors).map((block) => block.replace("## Types", "## Types of the sandbox")),
  ];
  const page = `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
  return format(page, { ...(await resolveConfig(PAGE)), parser: "markdown" });
}

/** Exported names, and members of them, that have no comment. A literal (`kind: "fin"`) speaks for itself. */
function undocumented(module: DeclarationReflection): string[] {
  const members = (module.children ?? []).flatMap((member) => [member, ...(member.children ?? [])]);
  return members
    .filter(({ kind, type }) => kind !== ReflectionKind.Reference && !(type instanceof LiteralType))
    .filter(({ comment, signatures = [] }) => !comment && !signatures.some((signature) => signature.comment))
    .map((member) => member.getFullName());
}

function proseOfModule({ comment }: DeclarationReflection): string {
  return comment?.summary.map(({ text }) => text).join("") ?? "";
}

/** Everything with a heading of its own is found by its name; a property by that of its owner. */
function anchorsOf(modules: readonly DeclarationReflection[]): Anchors {
  const names = new Set(modules.flatMap(({ children = [] }) => children.map(({ name }) => name)));
  const anchorOf = (name: string | undefined): string | null =>
    name !== undefined && names.has(name) ? name.toLowerCase() : null;
  return {
    of: ({ name, parent }) => anchorOf(parent?.name) ?? anchorOf(name),
    inType: (type) => anchorOf(type.match(/\w+/g)?.find((word) => names.has(word))),
  };
}

if (import.meta.main) {
  const page = await reference();
  if (!process.argv.includes("--check")) await writeFile(PAGE, page);
  else if ((await readFile(PAGE, "utf8").catch(() => "")) !== page) {
    console.error("docs/reference.md is not what the comments in provider/src say: run `npm run docs`.");
    process.exitCode = 1;
  }
}
