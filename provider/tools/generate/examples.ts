/** The examples and further sections of a resource or function: from its comment and resource-notes.md. */
import type { DeclarationReflection } from "typedoc";

import { commentOf, prose } from "./typedoc-model.ts";

/** What is written about a resource or function beside its properties. */
export interface Notes {
  /** Programs by language. The one in TypeScript uses the npm package. */
  readonly programs: Readonly<Record<string, string>>;
  /** The sections after the properties. */
  readonly sections: string;
}

/** What a program begins with, by language, if it uses a module. */
const IMPORTS = [
  ["typescript", "pulumi", 'import * as pulumi from "@pulumi/pulumi";\n'],
  ["typescript", "partners", 'import * as partners from "pulumi-partners";\n'],
  ["python", "pulumi", "import pulumi\n"],
  ["python", "partners", "import pulumi_partners as partners\n"],
] as const;

/** Reads what is written about an export. @param markdown resource-notes.md */
export function notesOf(subject: DeclarationReflection, markdown: string): Notes {
  const [, section = ""] = markdown.split(`\n# ${subject.name}\n`);
  const [own = ""] = section.split(/^# /m);
  const [example] = commentOf(subject)?.getTags("@example") ?? [];
  const blocks = [...`${prose(example?.content)}\n${own}`.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const programs = blocks.map(([, language = "", text = ""]) => {
    const name = language === "ts" ? "typescript" : language;
    const imports = IMPORTS.filter(([of, used]) => of === name && new RegExp(`\\b${used}\\.`).test(text));
    const lines = imports.map(([, , line]) => line).join("");
    return [name, lines === "" || text.startsWith("import ") ? text : `${lines}\n${text}`];
  });
  return {
    programs: Object.fromEntries(programs) as Notes["programs"],
    sections: own.replaceAll(/^```(?:ts|python|yaml)\n.*?^```$/gms, "").trim(),
  };
}

/** Renders the examples as the Pulumi Registry and generated SDKs expect them, with the native plugin. */
export function schemaExample({ programs }: Notes): string {
  const blocks = Object.entries(programs).map(([language, text]) => {
    const program = text.replace('"pulumi-partners"', '"@pulumi-partners/native"');
    return `\`\`\`${language}\n${program}\`\`\``;
  });
  const chooser = ["<!--Start PulumiCodeChooser -->", ...blocks, "<!--End PulumiCodeChooser -->"];
  return `## Example Usage\n\n${chooser.join("\n")}`;
}
