/**
 * Generates provider/schema.json, the API for all languages, from the same TSDoc as docs/resources. Pulumi's
 * SDK can infer the schema only of components.
 */
import type { CommentDisplayPart, DeclarationReflection, SomeType } from "typedoc";

import manifest from "../../package.json" with { type: "json" };
import {
  PARTNER_WEBHOOK_STATE,
  PARTNER_WEBHOOKS,
  RESOURCES,
  SECRET_OUTPUTS,
} from "../../dist/registration.js";
import { SECRET_SETTINGS } from "../../dist/setting-names.js";
import { notesOf, schemaExample } from "./examples.ts";
import { commentOf, findExport, propertiesOf, prose } from "./typedoc-model.ts";

/** How to import each resource: an explanation, and the arguments of `pulumi import` after the type. */
const IMPORTS: Readonly<Record<string, readonly [note: string, example: string]>> = {
  PartnerApiKey: [
    "Import an existing key from an environment variable, so that no command line, file or ID contains it. Add the printed " +
      "code to the program, without `protect`:",
    "checkout env:OLD_KEY",
  ],
  PartnerWebhookState: [
    "Import a webhook by its ID. Add the printed code to the program, without `protect`:",
    "orders 101",
  ],
};

/** Properties that are integers, which TypeScript types cannot express. */
const INTEGERS: readonly string[] = ["webhookId", "afterDays", "overlapDays"];
/**
 * The secret properties. Without `previousApiKey`: the plugin marks it when there is one, but because of the
 * schema, the engine would show `[secret]` even when there is none.
 */
const SECRETS = [...SECRET_OUTPUTS, ...SECRET_SETTINGS].filter((name) => name !== "previousApiKey");
/** The input that the provider cannot change in place. */
const REPLACING = "PartnerWebhookStateArgs.webhookId";
/**
 * Types that are plain text with these values. Enums would make type checkers refuse text, and would have no
 * flags in `pulumi do`.
 */
const WORDS: Readonly<Record<string, string>> = {
  WebhookState: "`active`, `disabled`",
  StateOnDestroy: "`leave`, `restore`, `active`, `disabled`",
  OtherWebhooks: "`leave`, `active`, `disabled`",
};

/**
 * The package names by language. The npm package `pulumi-partners` contains the dynamic resources, so none
 * has its name.
 */
const LANGUAGE = {
  nodejs: { packageName: "@pulumi-partners/native", respectSchemaVersion: true },
  python: { packageName: "pulumi_partners", pyproject: { enabled: true }, respectSchemaVersion: true },
  go: {
    importBasePath: "github.com/pulumi-partners/pulumi-partners/sdk/go/partners",
    generateResourceContainerTypes: true,
    respectSchemaVersion: true,
  },
  csharp: {
    rootNamespace: "PulumiPartners",
    namespaces: { partners: "Partners" },
    respectSchemaVersion: true,
  },
  java: { basePackage: "io.github.pulumipartners" },
};

/** A type or a property of the schema. */
interface Spec {
  readonly type?: string;
  readonly $ref?: string;
  readonly items?: Spec;
  readonly additionalProperties?: Spec;
  readonly description?: string;
  readonly secret?: boolean;
  readonly willReplaceOnChanges?: boolean;
}

/**
 * Returns the schema of the package.
 *
 * @param program The entry point for programs.
 * @param notes resource-notes.md
 * @param addresses Where the release is.
 */
export function schemaOf(program: DeclarationReflection, notes: string, addresses: object): unknown {
  const { version, keywords, license } = manifest;
  const schema = new Schema(program, notes);
  // Nothing is required: `pulumi do` would refuse settings from the environment. `CheckConfig` names what is
  // missing.
  const { properties, required = [] } = schema.object("ProviderArgs");
  const inputs = Object.entries(properties).map(([name, property]): [string, Spec] =>
    required.includes(name)
      ? [name, { ...property, description: `${property.description}\n\nRequired.` }]
      : [name, property],
  );
  // The default provider has no name of its own.
  const description = properties["account"]?.description?.replace("the name of the provider", "`default`");
  const variables = { ...properties, account: { ...properties["account"], description } };
  const names = RESOURCES.map(({ nativeToken }) => nativeToken.replace(/^.*:/, ""));
  return {
    name: "partners",
    displayName: "Partner API",
    version,
    description: manifest.description,
    keywords: keywords.filter((word) => word !== "dynamic-provider"),
    license,
    publisher: "pulumi-partners",
    ...addresses,
    meta: { moduleFormat: "(.*)" },
    language: LANGUAGE,
    config: { variables },
    provider: {
      description: schema.description("Provider"),
      properties,
      inputProperties: Object.fromEntries(inputs),
    },
    resources: Object.fromEntries(names.map((name) => [token(name), schema.resource(name)])),
    functions: {
      [PARTNER_WEBHOOKS.nativeToken]: {
        description: schema.description("getPartnerWebhooks"),
        outputs: schema.object("GetPartnerWebhooksResult"),
      },
    },
    types: schema.types,
  };
}

/** Returns the section about the import of a resource, or `""`. */
export function importSection(name: string): string {
  const [note, example] = IMPORTS[name] ?? [];
  if (note === undefined) return "";
  return `## Import\n\n${note}\n\n\`\`\`sh\npulumi import ${token(name)} ${example}\n\`\`\``;
}

const token = (name: string): string => `partners:index:${name}`;

/** Converts exports, and collects the types that they refer to. */
class Schema {
  readonly types: Record<string, unknown> = {};
  readonly #program: DeclarationReflection;
  readonly #notes: string;

  constructor(program: DeclarationReflection, notes: string) {
    this.#program = program;
    this.#notes = notes;
  }

  resource(name: string): unknown {
    const { properties: inputProperties, required: requiredInputs } = this.object(`${name}Args`);
    const description = `${this.description(name)}\n\n${importSection(name)}`.trim();
    // Lets a stack move from the dynamic resources without changes.
    const aliases = [{ type: `pulumi-nodejs:dynamic/partners:${name}` }];
    // For `pulumi do partners:PartnerWebhookState list`.
    const listInputs = token(name) === PARTNER_WEBHOOK_STATE.nativeToken ? { type: "object" } : undefined;
    return { ...this.object(name), description, inputProperties, requiredInputs, listInputs, aliases };
  }

  /** Returns the first paragraph about a resource or function, its examples and its sections. */
  description(name: string): string {
    const subject = findExport(this.#program, name);
    const notes = notesOf(subject, this.#notes);
    const [summary = ""] = textOf(commentOf(subject)?.summary).split("\n\n");
    // Links to other pages would be dead.
    const sections = notes.sections.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1").replaceAll(PARAGRAPH, " ");
    return `${summary}\n\n${schemaExample(notes)}\n\n${sections}`.trim();
  }

  /** Returns the properties of a class or an interface. */
  object(name: string): { properties: Record<string, Spec>; required: string[] | undefined } {
    const properties = propertiesOf(findExport(this.#program, name));
    const required = properties.filter((one) => !isOptional(one)).map((one) => one.name);
    return {
      properties: Object.fromEntries(properties.map((one) => [one.name, this.#property(one)])),
      required: required.length > 0 ? required : undefined,
    };
  }

  #property({ name, comment, type, parent }: DeclarationReflection): Spec {
    const fallback = textOf(comment?.getTag("@default")?.content).replace(/^"(.*)"$/, "`$1`");
    const text = textOf(comment?.summary).replace(/ Always secret\.$/, "");
    const [, values] = Object.entries(WORDS).find(([word]) => String(type).includes(word)) ?? [];
    const spec = this.#type(type);
    return {
      ...(spec.type === "number" && INTEGERS.includes(name) ? { type: "integer" } : spec),
      description: [
        text,
        ...(values === undefined ? [] : [`Values: ${values}.`]),
        ...(fallback === "" ? [] : [`Default: ${fallback}.`]),
      ].join("\n\n"),
      // The members of a mapping are pointers, such as the one to an `apiKey`.
      ...(parent?.name !== "ResponseMapping" && SECRETS.includes(name) && { secret: true }),
      ...(`${parent?.name}.${name}` === REPLACING && { willReplaceOnChanges: true }),
    };
  }

  #type(type: SomeType | undefined): Spec {
    if (type?.type === "intrinsic") return type.name === "unknown" ? ANY : { type: type.name };
    if (type?.type === "array") return { type: "array", items: this.#type(type.elementType) };
    if (type?.type === "typeOperator") return this.#type(type.target);
    if (type?.type === "union") {
      const some = type.types.filter((one) => !isAbsent(one));
      if (some.every(({ type }) => type === "literal")) return { type: "string" };
      if (some.length === 1) return this.#type(some[0]);
    }
    if (type?.type !== "reference") throw new Error(`The schema cannot express this type: ${String(type)}`);
    const [first, second] = type.typeArguments ?? [];
    if (type.name === "JsonScalar") return ANY;
    if (type.name in WORDS) return { type: "string" };
    if (type.name === "Record") return { type: "object", additionalProperties: this.#type(second) };
    // Input, Output, Readonly.
    if (first) return this.#type(first);
    return { $ref: this.#reference(type.name) };
  }

  #reference(name: string): string {
    const key = token(name.replace(/Args$/, ""));
    if (!(key in this.types)) {
      this.types[key] = {}; // Reserves its place before the types that it refers to.
      const description = textOf(findExport(this.#program, name).comment?.summary);
      this.types[key] = { type: "object", description, ...this.object(name) };
    }
    return `#/types/${key}`;
  }
}

/** A line break inside a paragraph or an item of a list. */
const PARAGRAPH = /(?<!\n)\n(?!\n|- ) */g;

const ANY: Spec = { $ref: "pulumi.json#/Any" };

function isNull(type: SomeType): boolean {
  return type.type === "literal" && type.value === null;
}

/** Whether a part of a union only says that there may be no value. */
function isAbsent(type: SomeType): boolean {
  return isNull(type) || (type.type === "intrinsic" && type.name === "undefined");
}

/** Whether there may be no value. */
function isOptional({ flags, type }: DeclarationReflection): boolean {
  const value = type?.type === "reference" ? (type.typeArguments?.[0] ?? type) : type;
  return flags.isOptional || (value?.type === "union" && value.types.some(isNull));
}

/** Returns a comment for all languages: without the `null` and the quotes of TypeScript. */
function textOf(parts: readonly CommentDisplayPart[] | undefined): string {
  return prose(parts)
    .replaceAll("`null`", "absent")
    .replaceAll(/`"([^"`]+)"`/g, "`$1`")
    .replaceAll(PARAGRAPH, " ");
}
