/**
 * Generates provider/schema.json, the API for all languages, from the same TSDoc as docs/resources. Pulumi's
 * SDK can infer the schema only of components.
 */
import {
  type CommentDisplayPart,
  type DeclarationReflection,
  ReflectionKind,
  type SomeType,
  type UnionType,
} from "typedoc";

import manifest from "../../package.json" with { type: "json" };
import { FUNCTIONS } from "../../dist/registration.js";
import { propertiesOf } from "./resource-pages.ts";

interface ResourceNotes {
  /** The documentation of the import. */
  readonly note: string;
  readonly example: string;
  /**
   * The filters of `pulumi do … list`. Without this member, the engine does not offer to list the resource.
   */
  readonly listInputs?: { readonly properties?: Readonly<Record<string, Spec>> };
}

/** The resources, each with what cannot be read from its class. */
const RESOURCES: Readonly<Record<string, ResourceNotes>> = {
  PartnerApiKey: {
    example: "checkout env:OLD_KEY",
    note: "Import an existing key from an environment variable, so that no command line, file or ID contains it:",
  },
  PartnerWebhookState: {
    note: "Import a webhook by its ID:",
    example: "orders 101",
    listInputs: {
      properties: {
        state: { type: "string", description: "Only webhooks in this state: `active` or `disabled`." },
      },
    },
  },
  PartnerWebhookStates: {
    note: "Import all webhooks of an account by the name of the account:",
    example: "fleet default",
  },
};

/** Properties that are integers, which TypeScript types cannot express. */
const INTEGERS: readonly string[] = ["webhookId", "afterDays", "overlapDays", "maxConnections"];
/**
 * Secret properties with their owners, because `ResponseMapping` also has an `apiKey`. Without
 * `previousApiKey`: the plugin marks it when there is one, but the engine would also show `[secret]` when
 * there is none.
 */
const SECRETS: readonly string[] = [
  "PartnerApiKey.apiKey",
  "PartnerApiKey.response",
  "GetPartnerWebhooksResult.webhooks",
  "ProviderArgs.accessToken",
  "ProviderArgs.headers",
];

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
}

/** Returns the schema of the package. @param program The entry point for programs. */
export function schemaOf(program: DeclarationReflection): unknown {
  const { version, description, keywords, homepage, license, repository } = manifest;
  const schema = new Schema(program);
  // Nothing is required: `pulumi do` would refuse settings from the environment. `CheckConfig` names what is
  // missing.
  const { properties } = schema.object("ProviderArgs");
  return {
    name: "partners",
    displayName: "Partner API",
    version,
    description,
    keywords: keywords.filter((word) => word !== "dynamic-provider"),
    homepage,
    license,
    repository: repository.url.replace(/^git\+|\.git$/g, ""),
    ...distribution(),
    meta: { moduleFormat: "(.*)" },
    language: LANGUAGE,
    config: { variables: properties },
    provider: { description: schema.description("Provider"), properties, inputProperties: properties },
    resources: Object.fromEntries(
      Object.entries(RESOURCES).map(([name, notes]) => [token(name), schema.resource(name, notes)]),
    ),
    functions: Object.fromEntries(
      FUNCTIONS.map(({ nativeToken, inputs }) => [
        nativeToken,
        schema.function(nativeToken, inputs.length > 0),
      ]),
    ),
    types: schema.types,
  };
}

/**
 * Returns where the registry finds the publisher and the logo, and where Pulumi downloads the plugin: from
 * the release on GitHub.
 */
function distribution(): Record<"publisher" | "logoUrl" | "pluginDownloadURL", string> {
  const path = /github\.com\/(.*)\.git$/.exec(manifest.repository.url)?.[1] ?? "";
  return {
    publisher: path.replace(/\/.*/, ""),
    logoUrl: `https://raw.githubusercontent.com/${path}/v${manifest.version}/docs/logo.svg`,
    pluginDownloadURL: `github://api.github.com/${path}`,
  };
}

const token = (name: string): string => `partners:index:${name}`;

/** Converts exports, and collects the types that they refer to. */
class Schema {
  readonly types: Record<string, unknown> = {};
  readonly #program: DeclarationReflection;

  constructor(program: DeclarationReflection) {
    this.#program = program;
  }

  resource(name: string, { note, example, listInputs }: ResourceNotes): unknown {
    const { properties: inputProperties, required: requiredInputs } = this.object(`${name}Args`);
    const importing = `## Import\n\n${note}\n\n\`\`\`sh\npulumi import ${token(name)} ${example}\n\`\`\``;
    // Lets a stack move from the dynamic resources without changes.
    const aliases = [{ type: `pulumi-nodejs:dynamic/partners:${name}` }];
    const description = `${this.description(name)}\n\n${importing}`;
    return { ...this.object(name), description, inputProperties, requiredInputs, listInputs, aliases };
  }

  /** Converts a function. Its types have its name, with `Args` and `Result`. */
  function(nativeToken: string, hasArguments: boolean): unknown {
    const name = nativeToken.replace(/^.*:/, "");
    const type = name.replace(/^g/, "G");
    return {
      description: this.description(name).split("\n\n")[0],
      ...(hasArguments && { inputs: this.object(`${type}Args`) }),
      outputs: this.object(`${type}Result`),
    };
  }

  description(name: string): string {
    const { comment, signatures = [] } = this.#find(name);
    return prose((comment ?? signatures[0]?.comment)?.summary);
  }

  /** Returns the properties of a class or an interface. */
  object(name: string): { properties: Record<string, Spec>; required: string[] | undefined } {
    const properties = propertiesOf(this.#find(name));
    const required = properties.filter((one) => !isOptional(one)).map((one) => one.name);
    return {
      properties: Object.fromEntries(properties.map((one) => [one.name, this.#property(one)])),
      required: required.length > 0 ? required : undefined,
    };
  }

  #property({ name, comment, type, parent }: DeclarationReflection): Spec {
    const fallback = prose(comment?.getTag("@default")?.content).replace(/^"(.*)"$/, "`$1`");
    const text = prose(comment?.summary).replace(/ Always secret\.$/, "");
    const spec = this.#type(type);
    return {
      ...(spec.type === "number" && INTEGERS.includes(name) ? { type: "integer" } : spec),
      description: fallback === "" ? text : `${text}\n\nDefault: ${fallback}.`,
      ...(SECRETS.includes(`${parent?.name}.${name}`) && { secret: true }),
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
    // An enum would have constants in some languages, but no flag in `pulumi do`.
    if (type.name === "WebhookState") return { type: "string" };
    if (type.name === "Record") return { type: "object", additionalProperties: this.#type(second) };
    // Input, Output, Readonly.
    if (first) return this.#type(first);
    return { $ref: this.#reference(type.name) };
  }

  #reference(name: string): string {
    const key = token(name.replace(/Args$/, ""));
    if (!(key in this.types)) {
      const declared = this.#find(name);
      const description = this.description(name);
      this.types[key] = {}; // Reserves its place before the types that it refers to.
      this.types[key] = declared.kindOf(ReflectionKind.Interface)
        ? { type: "object", description, ...this.object(name) }
        : { type: "string", description, enum: this.#values(declared.type as UnionType) };
    }
    return `#/types/${key}`;
  }

  /** Returns the values of a union of literals and further unions. */
  #values({ types }: UnionType): { value: string }[] {
    return types.flatMap((one) => {
      if (one.type === "reference") return this.#values(this.#find(one.name).type as UnionType);
      return one.type === "literal" ? [{ value: String(one.value) }] : [];
    });
  }

  #find(name: string): DeclarationReflection {
    const found = this.#program.children?.find((one) => one.name === name);
    if (!found) throw new Error(`${name} is not exported.`);
    return found;
  }
}

const ANY: Spec = { $ref: "pulumi.json#/Any" };

function isNull(type: SomeType): boolean {
  return type.type === "literal" && type.value === null;
}

/** Whether a part of a union only says that there may be no value. */
function isAbsent(type: SomeType): boolean {
  return isNull(type) || (type.type === "intrinsic" && type.name === "undefined");
}

/** Whether an input can be omitted, or an output can be absent. */
function isOptional({ flags, type }: DeclarationReflection): boolean {
  const value = type?.type === "reference" ? (type.typeArguments?.[0] ?? type) : type;
  return flags.isOptional || (value?.type === "union" && value.types.some(isNull));
}

/** Returns the text of a comment for all languages: without links, and without the `null` of TypeScript. */
function prose(parts: readonly CommentDisplayPart[] = []): string {
  return parts
    .map((part) => (part.kind === "inline-tag" ? nameOf(part.text) : part.text))
    .join("")
    .replaceAll("`null`", "absent")
    .replaceAll(/(?<!\n)\n(?!\n)/g, " ")
    .trim();
}

/** Names the target of a link: `ProviderArgs.account` becomes the `account` of the `Provider`. */
function nameOf(link: string): string {
  const [owner = "", member] = link.replace(/Args\b/, "").split(".");
  return member === undefined ? `\`${owner}\`` : `\`${member}\` of \`${owner}\``;
}
