/**
 * Renders docs/resources, one page per resource and function, from the TSDoc of the public API, the examples
 * and imports of the schema, and resource-notes.md. typedoc-plugin-markdown writes a page per entry point,
 * and does not put the arguments next to their class.
 */
import {
  type Comment,
  type CommentDisplayPart,
  type DeclarationReflection,
  type ParameterReflection,
  ReflectionKind,
  type SignatureReflection,
  type SomeType,
} from "typedoc";

import type { PackageSchema } from "./registry-pages.ts";
import { type Example, examplesOf, nameOf } from "./schema-examples.ts";

/** The two entry points of the package. */
export type Modules = readonly [program: DeclarationReflection, sandbox: DeclarationReflection];

const GENERATED = "<!-- Generated from provider/src and provider/tools/generate by `npm run docs`. -->";

/** The languages of an example after TypeScript. */
const FOLDED = { python: "Python", go: "Go", yaml: "YAML" } as const;

/**
 * Returns the pages before formatting, by file name.
 *
 * @param notes resource-notes.md: further sections of a page, by the name of its resource or function.
 */
export function resourcePages(
  [program, sandbox]: Modules,
  schema: PackageSchema,
  notes: string,
): Record<string, string> {
  const renderer = new Renderer([program, sandbox], schema, notes);
  return Object.fromEntries([...renderer.pages].map(([file, subject]) => [file, renderer.page(subject)]));
}

/** Renders exports as Markdown. A link leads to the page that describes a name. */
class Renderer {
  /** The class or function that each page is about, by file name. */
  readonly pages = new Map<string, DeclarationReflection>();
  readonly #exports: ReadonlyMap<string, DeclarationReflection>;
  readonly #schema: PackageSchema;
  readonly #notes: ReadonlyMap<string, string>;
  /** The headings by the names of exports: page and anchor. */
  readonly #headings = new Map<string, { readonly page: string; readonly anchor: string }>();
  #current = "";

  constructor(modules: Modules, schema: PackageSchema, notes: string) {
    // The sandbox exports a type of programs again.
    const members = modules
      .flatMap(({ children = [] }) => children)
      .filter((member) => !member.kindOf(ReflectionKind.Reference));
    this.#exports = new Map(members.map((member) => [member.name, member]));
    this.#schema = schema;
    this.#notes = sections(notes);
    for (const member of members.filter((one) => one.kindOf([ReflectionKind.Class, ReflectionKind.Function])))
      if (!this.#isVariant(member)) this.#place(member);
  }

  /** Renders the page of a class or a function. */
  page(subject: DeclarationReflection): string {
    this.#current = fileOf(subject.name);
    const isClass = subject.kindOf(ReflectionKind.Class);
    const blocks = [
      GENERATED,
      `# ${subject.name}`,
      ...(isClass ? this.#class(subject) : this.#function(subject)),
      this.#notes.get(subject.name) ?? "",
    ];
    return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
  }

  /** Notes where a page describes an export, the arguments and the types that it refers to. */
  #place(subject: DeclarationReflection): void {
    const page = fileOf(subject.name);
    this.pages.set(page, subject);
    const put = (name: string, anchor: string): void => {
      if (!this.#headings.has(name)) this.#headings.set(name, { page, anchor });
    };
    put(subject.name, "");
    put(`${subject.name}Output`, "as-an-output");
    put(`${subject.name}Args`, "inputs");
    for (const { name } of this.#typesOf(subject)) put(name, name.toLowerCase());
  }

  /** The form of a function that returns an output. It shares the page of the function. */
  #isVariant({ name }: DeclarationReflection): boolean {
    return name.endsWith("Output") && this.#exports.has(name.replace(/Output$/, ""));
  }

  #class(subject: DeclarationReflection): string[] {
    const args = this.#exports.get(`${subject.name}Args`);
    const children = subject.children ?? [];
    const [construct] = children.find(({ name }) => name === "constructor")?.signatures ?? [];
    const [getter] = children.find(({ name }) => name === "get")?.signatures ?? [];
    const described = this.#described(subject.name);
    return [
      this.prose(subject.comment?.summary),
      ...this.#examples(described),
      ...(args ? ["## Inputs", this.#about(args), this.#properties(args)] : []),
      construct ? this.#throws(construct) : "",
      ...(propertiesOf(subject).length > 0 ? ["## Outputs", this.#properties(subject)] : []),
      ...this.#typeSections(subject),
      ...this.#import(described),
      ...(getter ? ["## Get", this.#signature(getter, `${subject.name}.get`)] : []),
    ];
  }

  #function(subject: DeclarationReflection): string[] {
    const [signature] = subject.signatures ?? [];
    if (!signature) return [];
    const [variant] = this.#exports.get(`${subject.name}Output`)?.signatures ?? [];
    const example = this.#examples(this.#described(subject.name));
    return [
      this.prose(signature.comment?.summary),
      ...example,
      "## In TypeScript",
      this.#signature(signature, subject.name),
      ...(variant ? ["## As an output", this.#signature(variant, variant.name)] : []),
      ...this.#typeSections(subject),
    ];
  }

  /** Renders the section about the import, as the schema has it. */
  #import(described: string): string[] {
    const [section] = /^## Import\n.*/ms.exec(described) ?? [];
    const more = "Then see [what an import needs](../command-line.md#import).";
    return section === undefined ? [] : [section, more];
  }

  /** Renders the examples: the npm package first, the languages of the native plugin folded. */
  #examples(description: string): string[] {
    const examples = examplesOf(description);
    if (examples.length === 0) return [];
    return [
      "## Example",
      ...examples.flatMap(({ title, programs }) => [
        `### ${title}`,
        code(npmProgram(programs)),
        ...Object.entries(FOLDED).map(
          ([language, name]) =>
            `<details><summary>${name}</summary>\n\n\`\`\`${language}\n` +
            `${goBody(programs[language as keyof typeof FOLDED])}\`\`\`\n\n</details>`,
        ),
      ]),
    ];
  }

  /** Returns the description of a resource or function in the schema, `""` if there is none. */
  #described(name: string): string {
    const { provider, resources, functions } = this.#schema;
    const all = Object.entries({ Provider: provider, ...resources, ...functions });
    return all.find(([token]) => nameOf(token) === name)?.[1].description ?? "";
  }

  /** Renders the interfaces that a page refers to, each as a section with a list. */
  #typeSections(subject: DeclarationReflection): string[] {
    const own = this.#typesOf(subject).filter(({ name }) => this.#headings.get(name)?.page === this.#current);
    return own.flatMap((type) => [
      `### ${type.name}`,
      this.#about(type),
      [this.#properties(type), ...this.#methods(type)].join("\n"),
    ]);
  }

  /** Returns the exported types that an export refers to, except its arguments and short aliases. */
  #typesOf(subject: DeclarationReflection): DeclarationReflection[] {
    const found = new Set<DeclarationReflection>();
    const visit = (member: DeclarationReflection): void => {
      const text = [
        ...propertiesOf(member).map(typeOf),
        ...(member.children ?? []).flatMap(({ signatures = [] }) => signatures).flatMap(signatureTypes),
        ...(member.signatures ?? []).flatMap(signatureTypes),
      ].join(" ");
      for (const word of text.match(/\w+/g) ?? []) {
        const type = this.#exports.get(word);
        if (type === undefined || found.has(type) || type === subject) continue;
        if (!type.kindOf([ReflectionKind.Interface, ReflectionKind.TypeAlias])) continue;
        // The arguments of the variant are those of the function, as inputs.
        if (word.endsWith("OutputArgs")) continue;
        if (word !== `${subject.name}Args` && !isShort(type)) found.add(type);
        visit(type);
      }
    };
    const args = this.#exports.get(`${subject.name}Args`);
    if (args) visit(args);
    visit(subject);
    const variant = this.#exports.get(`${subject.name}Output`);
    if (variant) visit(variant);
    return [...found];
  }

  #methods(owner: DeclarationReflection): string[] {
    const methods = (owner.children ?? []).flatMap(({ signatures = [] }) => signatures);
    return methods.map((method) => {
      const throws = this.#tag(method.comment, "@throws");
      const text = this.#line(method.comment?.summary) + (throws === "" ? "" : ` Throws ${throws}`);
      return `- ${this.#call(method, method.name)}: ${text}`;
    });
  }

  /**
   * Renders a signature with its parameters. `name` and `opts` are the same everywhere. The summary and an
   * example of the subject are at the top of its page, and its variant has the same parameters.
   */
  #signature(signature: SignatureReflection, name: string): string {
    const { comment, parameters = [] } = signature;
    const { name: subject = "" } = this.pages.get(this.#current) ?? {};
    const isVariant = name === `${subject}Output`;
    const described = parameters.filter(
      (one) => one.comment && !isVariant && !["name", "opts"].includes(one.name),
    );
    const list = described.map((one) => `- \`${one.name}\`: ${this.#line(one.comment?.summary)}`);
    const hasExample = name === subject && this.#described(subject) !== "";
    return [
      name === subject ? "" : this.prose(comment?.summary),
      this.#call(signature, name),
      list.join("\n"),
      this.#throws(signature),
      hasExample ? "" : this.#tag(comment, "@example"),
    ]
      .filter((block) => block !== "")
      .join("\n\n");
  }

  #throws({ comment }: SignatureReflection): string {
    const throws = this.#tag(comment, "@throws");
    return throws === "" ? "" : `Throws ${throws}`;
  }

  /** Renders the comment of a type, except of arguments: it only names their owner, which has examples. */
  #about({ name, comment }: DeclarationReflection): string {
    const text = this.prose(comment?.summary).replace(/^The arguments of \S+\.( All are optional\.)?\s*/, "");
    return name.endsWith("Args") ? text : `${text}\n\n${this.#tag(comment, "@example")}`.trim();
  }

  /** Renders a list of properties, with their defaults; of arguments, also whether they are required. */
  #properties(owner: DeclarationReflection): string {
    const properties = propertiesOf(owner);
    const canBeOmitted = properties.some(({ flags }) => flags.isOptional);
    const items = properties.map((property) => {
      const { name, comment, flags } = property;
      const value = this.#line(comment?.getTag("@default")?.content);
      const shown = /^("|\[|\d+$|false$|true$)/.test(value) ? `\`${value}\`` : value;
      const fallback = value === "" ? "" : `, default: ${shown}`;
      const about = flags.isOptional || !canBeOmitted ? fallback : ", required";
      return `- \`${name}\` (${this.#type(property)}${about}): ${this.#line(comment?.summary)}`;
    });
    return items.join("\n");
  }

  /** Renders a signature on one line. */
  #call(signature: SignatureReflection, name: string): string {
    return `\`${name}${this.#spelledOut(`(${parametersOf(signature)}): ${typeOf(signature)}`)}\``;
  }

  #type(property: DeclarationReflection): string {
    const type = this.#typeText(property.type);
    const text = `\`${type}\``;
    const target = type.match(/\w+/g)?.flatMap((word) => this.#headings.get(word) ?? [])[0];
    return target === undefined ? text : `[${text}](${this.#href(target)})`;
  }

  /** Names a type for every language: without wrappers, and with short types spelled out. */
  #typeText(type: SomeType | undefined): string {
    let text = typeOf({ type }).replaceAll(" | undefined", "");
    for (let before = ""; before !== text;) {
      before = text;
      text = text.replace(/\b(?:Input|Output|Readonly|Promise)<((?:[^<>]|<[^<>]*>)*)>/, "$1");
    }
    return this.#spelledOut(text.replaceAll(/\breadonly /g, ""));
  }

  #spelledOut(text: string): string {
    return [...this.#exports.values()].filter(isShort).reduce((spelled, type) => {
      const name = new RegExp(`\\b${type.name}\\b(\\[\\])?`, "g");
      return spelled.replaceAll(name, (_, list = "") => {
        if (type.kindOf(ReflectionKind.Interface)) return this.#members(type) + String(list);
        const values = this.#typeText(type.type);
        return list === "" ? values : `(${values})[]`;
      });
    }, text);
  }

  #members(type: DeclarationReflection): string {
    return `{ ${propertiesOf(type)
      .map((property) => `${property.name}: ${this.#typeText(property.type)}`)
      .join("; ")} }`;
  }

  #href({ page, anchor }: { readonly page: string; readonly anchor: string }): string {
    const hash = anchor === "" ? "" : `#${anchor}`;
    return page === this.#current && hash !== "" ? hash : `${page}${hash}`;
  }

  /** Renders the text of a comment. A `{@link …}` leads to the page of the name. */
  prose(parts: readonly CommentDisplayPart[] = []): string {
    return parts
      .map((part) => {
        if (part.kind !== "inline-tag") return part.text;
        const { target } = part;
        const names =
          typeof target === "object" && "kind" in target ? [target.parent?.name, target.name] : [];
        const [known] = names.flatMap((name) => this.#headings.get(name ?? "") ?? []);
        const label = `\`${part.text.replace(/Args\b/, "")}\``;
        const isHere = known?.page === this.#current && known.anchor === "";
        return known === undefined || isHere ? label : `[${label}](${this.#href(known)})`;
      })
      .join("")
      .trim();
  }

  /** Renders the text on one line, for a list. */
  #line(parts: readonly CommentDisplayPart[] = []): string {
    return this.prose(parts).replaceAll(/\s*\n\s*/g, " ");
  }

  /** Renders a block tag such as `@throws`; `""` if there is none. */
  #tag(comment: Comment | undefined, tag: `@${string}`): string {
    return (comment?.getTags(tag) ?? []).map(({ content }) => this.prose(content)).join("\n\n");
  }
}

/** Returns the file of a page: `partner-api-key.md` for `PartnerApiKey`. */
function fileOf(name: string): string {
  return `${name.replaceAll(/(?<!^)(?=[A-Z])/g, "-").toLowerCase()}.md`;
}

/**
 * Whether a page spells out a type where it is used: an alias whose comment does not list its values, or an
 * object with one or two members that are not arguments.
 */
function isShort(member: DeclarationReflection): boolean {
  const text = (member.comment?.summary ?? []).map((part) => part.text).join("");
  if (member.kindOf(ReflectionKind.TypeAlias)) return !/^- /m.test(text);
  if (!member.kindOf(ReflectionKind.Interface) || member.name.endsWith("Args")) return false;
  return (member.children ?? []).length <= 2;
}

/** Returns what a Go program runs, without what is the same in each. Other texts stay as they are. */
function goBody(program: string): string {
  const [, body] = /pulumi\.Run\(.*?\{\n(.*)\n\t\treturn nil\n\t\}\)/s.exec(program) ?? [];
  return body === undefined ? program : `${body.replaceAll(/^\t\t/gm, "")}\n`;
}

/** Converts the TypeScript of the native plugin's SDK to that of the npm package, which has no enums. */
function npmProgram({ typescript }: Example["programs"]): string {
  const program = typescript
    .replace("@pulumi-partners/native", "pulumi-partners")
    .replaceAll(/\bpartners\.\w+\.([A-Z]\w*)(?=,|\s)/g, (_, value: string) => `"${value.toLowerCase()}"`)
    .trim();
  return /\bpulumi\./.test(program) ? program : program.replace(/^import \* as pulumi .*\n/, "");
}

/** Returns the sections of a Markdown file by their headings of level 1. */
function sections(markdown: string): Map<string, string> {
  const [, ...parts] = markdown.split(/^# /m);
  return new Map(
    parts.map((part) => {
      const end = part.indexOf("\n");
      return [part.slice(0, end).trim(), part.slice(end).trim()];
    }),
  );
}

/** Returns the properties of a class or an interface, without inherited ones. */
export function propertiesOf(member: DeclarationReflection): DeclarationReflection[] {
  const kinds = [ReflectionKind.Property, ReflectionKind.Accessor];
  return (member.children ?? []).filter((child) => child.kindOf(kinds) && !child.inheritedFrom);
}

function signatureTypes(signature: SignatureReflection): string[] {
  return [...(signature.parameters ?? []).map(typeOf), typeOf(signature)];
}

function parametersOf({ parameters = [] }: SignatureReflection): string {
  const text = (parameter: ParameterReflection): string => {
    const optional = parameter.flags.isOptional || parameter.defaultValue !== undefined ? "?" : "";
    return `${parameter.name}${optional}: ${typeOf(parameter)}`;
  };
  return parameters.map(text).join(", ");
}

/** Restores the alias `Output`, which the compiler resolves for some types. */
function typeOf({ type }: { readonly type?: { toString(): string } | undefined }): string {
  return (type?.toString() ?? "unknown")
    .replaceAll("OutputInstance<", "Output<")
    .replaceAll(/\bPick<pulumi\.InvokeOptions, [^>]*>/g, "InvokeOptions");
}

function code(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``;
}
