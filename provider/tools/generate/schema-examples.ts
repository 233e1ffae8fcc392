/**
 * Adds the examples to provider/schema.json: schema-examples.yaml, translated by the program generators of
 * the Pulumi CLI, in the form that the Pulumi Registry expects. Generated SDKs show each the example in their
 * own language.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";

import { canGenerate, generate, setup } from "../codegen/generators.ts";

/** A program in every language. */
export interface Example {
  readonly title: string;
  /** The programs by the language of their code block. */
  readonly programs: Readonly<Record<Language, string>>;
}

/** The languages by the file extension that codegen writes. YAML is the source. */
const EXTENSIONS = { typescript: ".ts", python: ".py", go: ".go", yaml: ".yaml" } as const;

/**
 * A language of the examples, as the registry names it. There are no generators for C# and Java outside of
 * their own plugins.
 */
export type Language = keyof typeof EXTENSIONS;

/** The languages of the examples in the order of the registry. */
export const LANGUAGES = Object.keys(EXTENSIONS) as Language[];

/** The part of a YAML program that can be translated. */
interface Program {
  readonly config?: Readonly<Record<string, { readonly type: string; readonly secret?: boolean }>>;
  readonly variables?: Readonly<
    Record<string, { readonly "fn::invoke": { readonly function: string; readonly arguments?: object } }>
  >;
  readonly resources?: Readonly<
    Record<
      string,
      {
        readonly type: string;
        readonly properties?: Readonly<Record<string, unknown>>;
        readonly options?: { readonly provider: string };
      }
    >
  >;
  readonly outputs?: Readonly<Record<string, string>>;
}

/** The part of a schema that holds examples. */
interface Described {
  readonly provider: { readonly description: string };
  readonly resources: Readonly<Record<string, { readonly description: string }>>;
  readonly functions: Readonly<Record<string, { readonly description: string }>>;
}

/**
 * Adds the section with examples to the provider, and to each resource and function.
 *
 * @param schema The schema without examples.
 * @param previous The schema with the previous examples, which stay as they are on a machine without Go.
 */
export async function withExamples<Schema extends Described>(
  schema: Schema,
  previous: Described,
): Promise<Schema> {
  await setup();
  const sections = (await canGenerate()) ? await translated(schema) : sectionsOf(previous);
  const add = (members: Described["resources"]): Described["resources"] =>
    Object.fromEntries(
      Object.entries(members).map(([token, member]) => {
        const section = sections[nameOf(token)];
        if (section === undefined) throw new Error(`schema-examples.yaml has no example of ${token}.`);
        const description = member.description.replace(/\n\n## Import|$/, (rest) => `\n\n${section}${rest}`);
        return [token, { ...member, description }];
      }),
    );
  const { Provider: provider } = add({ Provider: schema.provider });
  return { ...schema, provider, resources: add(schema.resources), functions: add(schema.functions) };
}

/** Returns schema-examples.yaml in all languages, as sections by the name of the resource or function. */
async function translated(schema: unknown): Promise<Record<string, string>> {
  const text = await readFile(join(import.meta.dirname, "schema-examples.yaml"), "utf8");
  const programs = parse(text) as Record<string, Record<string, Program>>;
  const folder = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  try {
    const schemaFile = join(folder, "schema.json");
    await writeFile(schemaFile, JSON.stringify(schema));
    const all = Object.values(programs).flatMap((byTitle) => Object.values(byTitle));
    for (const [index, program] of all.entries()) {
      await writeFile(join(folder, `${index}.yaml`), stringify(program));
      await writeFile(join(folder, `${index}.pp`), toPcl(program));
    }
    await generate({ programs: folder }, schemaFile);

    const sections: Record<string, string> = {};
    for (const [name, byTitle] of Object.entries(programs)) {
      const blocks = Object.entries(byTitle).map(async ([title, program]) => {
        const file = join(folder, String(all.indexOf(program)));
        const texts = LANGUAGES.map((language) => readFile(file + EXTENSIONS[language], "utf8"));
        return chooser(title, await Promise.all(texts));
      });
      sections[name] = ["## Example Usage", ...(await Promise.all(blocks))].join("\n\n");
    }
    return sections;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the examples in the description of a resource or function. */
export function examplesOf(description: string): Example[] {
  const [, ...sections] = description.split(/^### /m);
  return sections.map((section) => {
    const blocks = [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
    const programs = Object.fromEntries(
      blocks.map(([, language = "", text = ""]) => [language, text]),
    ) as Example["programs"];
    return { title: section.slice(0, section.indexOf("\n")), programs };
  });
}

/** Renders an example with the comments that let the registry show one language at a time. */
function chooser(title: string, programs: readonly string[]): string {
  const blocks = LANGUAGES.map((language, index) => `\`\`\`${language}\n${programs[index]?.trim()}\n\`\`\``);
  return [
    `### ${title}`,
    "",
    "<!--Start PulumiCodeChooser -->",
    ...blocks,
    "<!--End PulumiCodeChooser -->",
  ].join("\n");
}

/** Returns the sections of a schema by the name of the resource or function. */
function sectionsOf({ provider, resources, functions }: Described): Record<string, string> {
  const sections: Record<string, string> = {};
  for (const [token, { description }] of Object.entries({ Provider: provider, ...resources, ...functions })) {
    const [section] = /^## Example Usage\n.*?(?=\n\n## |$(?![^]))/ms.exec(description) ?? [];
    if (section !== undefined) sections[nameOf(token)] = section;
  }
  return sections;
}

/** Returns the name of a resource or function without the name of the package. */
export function nameOf(token: string): string {
  return token.slice(token.lastIndexOf(":") + 1);
}

/** Translates a program to the language that the generators read. */
function toPcl({ config = {}, variables = {}, resources = {}, outputs = {} }: Program): string {
  return [
    ...Object.entries(config).map(
      ([name, { type, secret = false }]) => `config ${name} ${type} { secret = ${secret} }`,
    ),
    ...Object.entries(variables).map(
      ([name, { "fn::invoke": invoke }]) =>
        `${name} = invoke(${expression(invoke.function)}, ${argumentsOf(invoke.arguments)})`,
    ),
    ...Object.entries(resources).map(([name, { type, properties = {}, options }]) => {
      const attributes = Object.entries(properties).map(([key, value]) => `${key} = ${expression(value)}\n`);
      if (options) attributes.push(`options { provider = ${expression(options.provider)} }\n`);
      return `resource ${name} ${expression(type)} {\n${attributes.join("")}}`;
    }),
    ...Object.entries(outputs).map(([name, value]) => `output ${name} { value = ${expression(value)} }`),
  ].join("\n");
}

/** Returns the arguments of a function. The generator for Python ignores names in quotes. */
function argumentsOf(given: object = {}): string {
  const members = Object.entries(given).map(([name, value]) => `${name} = ${expression(value)}`);
  return `{ ${members.join(", ")} }`;
}

function expression(value: unknown): string {
  if (typeof value === "string") return /^\$\{(.*)\}$/.exec(value)?.[1] ?? JSON.stringify(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)} = ${expression(member)}`,
  );
  return `{ ${members.join(", ")} }`;
}
