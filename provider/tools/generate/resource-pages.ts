/**
 * Renders docs/resources, one page per resource and function, from the TSDoc of the public API and
 * resource-notes.md.
 */
import type { CommentDisplayPart, DeclarationReflection } from "typedoc";

import { notesOf } from "./examples.ts";
import { importSection } from "./package-schema.ts";
import { commentOf, findExport, type Modules, propertiesOf, prose } from "./typedoc-model.ts";

const GENERATED = "<!-- Generated from provider/src and provider/tools/generate by `npm run docs`. -->";

/** The subject of each page, with the types whose members it lists. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  PartnerApiKey: ["PartnerApiKeyArgs", "RotationArgs", "PartnerApiKey", "KeyResponse"],
  PartnerWebhookState: ["PartnerWebhookStateArgs", "PartnerWebhookState"],
  PartnerWebhookStates: ["PartnerWebhookStatesArgs", "PartnerWebhookStates"],
  getPartnerWebhooks: ["GetPartnerWebhooksResult", "PartnerWebhook"],
  Provider: ["ProviderArgs", "ResponseMapping"],
  startSandbox: ["SandboxOptions", "Sandbox", "SandboxRequest"],
};

/** The languages of an example after TypeScript. */
const FOLDED: Readonly<Record<string, string>> = { python: "Python", go: "Go", java: "Java", yaml: "YAML" };

/** Returns the pages before formatting, by file name. @param markdown resource-notes.md */
export function resourcePages({ program, sandbox }: Modules, markdown: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(PAGES).map(([subject, types]) => {
      const module = subject === "startSandbox" ? sandbox : program;
      return [fileOf(subject), renderPage(subject, types, module, markdown)];
    }),
  );
}

/** Returns the file of a page: `partner-api-key.md` for `PartnerApiKey`. */
function fileOf(name: string): string {
  return `${name.replaceAll(/(?<!^)(?=[A-Z])/g, "-").toLowerCase()}.md`;
}

function renderPage(
  name: string,
  types: readonly string[],
  module: DeclarationReflection,
  notes: string,
): string {
  const subject = findExport(module, name);
  const { programs, sections, end } = notesOf(subject, notes);
  const [variant] = module.children?.filter((one) => one.name === `${name}Output`) ?? [];
  const throws = subject.signatures?.[0]?.comment?.getTag("@throws");
  const examples = Object.entries(programs).map(([language, program]) => {
    const block = `\`\`\`${language === "typescript" ? "ts" : language}\n${program}\`\`\``;
    const title = FOLDED[language];
    return title === undefined ? block : `<details><summary>${title}</summary>\n\n${block}\n\n</details>`;
  });
  const blocks = [
    GENERATED,
    `# ${name}`,
    linked(commentOf(subject)?.summary),
    throws ? `Throws ${linked(throws.content)}` : "",
    "## Example",
    ...examples,
    ...(variant ? [`## ${variant.name}`, prose(commentOf(variant)?.summary)] : []),
    "python" in programs ? "In Python, names have underscores, and `null` is `None`." : "",
    ...types.flatMap((type) => renderType(type, name, findExport(module, type))),
    importSection(name),
    sections,
    end,
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

/** Renders the members of an interface, or the outputs of a class. */
function renderType(type: string, subject: string, owner: DeclarationReflection): string[] {
  const isInputs = type === `${subject}Args` || type.endsWith("Options");
  const isOutputs = type === subject || /^Sandbox$|Result$/.test(type);
  const members = (owner.children ?? []).filter(({ signatures }) => signatures?.[0]?.name === "close");
  const properties = propertiesOf(owner);
  const canBeOmitted = properties.some(({ flags }) => flags.isOptional);
  const items = properties.map(({ name, comment, flags, type }) => {
    const value = prose(comment?.getTag("@default")?.content);
    const shown = /^("|\[|\d+$|false$|true$)/.test(value) ? `\`${value}\`` : value;
    const fallback = value === "" ? "" : `, default: ${shown}`;
    const about = flags.isOptional || !canBeOmitted ? fallback : ", required";
    return `- \`${name}\` (\`${typeText(String(type))}\`${about}): ${oneLine(comment?.summary)}`;
  });
  const methods = members.map((one) => `- \`${one.name}()\`: ${oneLine(commentOf(one)?.summary)}`);
  const list = [...items, ...methods].join("\n");
  if (isInputs || isOutputs) return [isInputs ? "## Inputs" : "## Outputs", list];
  const example = prose(owner.comment?.getTag("@example")?.content);
  return [`### ${type}`, linked(owner.comment?.summary), example, list];
}

/** Names a type for every language: without wrappers, and with words spelled out. */
function typeText(type: string): string {
  let text = type.replaceAll(/\bpulumi\.|\breadonly | \| undefined/g, "");
  for (let before = ""; before !== text;) {
    before = text;
    text = text.replace(/\b(?:Input|Output|OutputInstance|Readonly)<((?:[^<>]|<[^<>]*>)*)>/, "$1");
  }
  return text
    .replace("StateOnDestroy", '"leave" | "restore" | WebhookState')
    .replace("OtherWebhooks", '"leave" | WebhookState')
    .replaceAll("WebhookState", '"active" | "disabled"');
}

/** Renders a comment with links to the pages of other resources. */
function linked(parts: readonly CommentDisplayPart[] | undefined): string {
  return prose(parts, (name) => {
    return name in PAGES ? `[\`${name}\`](${fileOf(name)})` : `\`${name}\``;
  });
}

function oneLine(parts: readonly CommentDisplayPart[] | undefined): string {
  return linked(parts).replaceAll(/\s*\n\s*/g, " ");
}
