/** The examples and further sections of a resource or function: from its comment and resource-notes.md. */
import type { DeclarationReflection } from "typedoc";

import { commentOf, prose } from "./typedoc-model.ts";

/** What is written about a resource or function beside its properties. */
export interface Notes {
  /** Programs by language. The one in TypeScript uses the npm package. */
  readonly programs: Readonly<Record<string, string>>;
  /** Sections for all languages, after the properties. */
  readonly sections: string;
  /** What only the page says, at its end. */
  readonly end: string;
}

/** What a program begins with, by language, if it uses something. */
const IMPORTS = [
  ["typescript", /\bpulumi\./, 'import * as pulumi from "@pulumi/pulumi";\n'],
  ["typescript", /\bpartners\./, 'import * as partners from "pulumi-partners";\n'],
  ["python", /\bpulumi\./, "import pulumi\n"],
  ["python", /\bpartners\./, "import pulumi_partners as partners\n"],
  ["go", /\bfmt\./, '\t"fmt"\n\n'],
  ["go", /\bpartners\./, '\t"github.com/pulumi-partners/pulumi-partners/sdk/go/partners"\n'],
  ["go", /\bpulumi\./, '\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"\n'],
  ["go", /\bconfig\./, '\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"\n'],
  ["java", /./, "import com.pulumi.Pulumi;\n"],
  ["java", /\bCustomResourceOptions\b/, "import com.pulumi.resources.CustomResourceOptions;\n"],
  ["java", /./, "import io.github.pulumipartners.partners.*;\n"],
  ["java", /\bRotationArgs\b/, "import io.github.pulumipartners.partners.inputs.RotationArgs;\n"],
  ["java", /\bMap\./, "import java.util.Map;\n"],
] as const;

/** Reads what is written about an export. @param markdown resource-notes.md */
export function notesOf(subject: DeclarationReflection, markdown: string): Notes {
  const [, section = ""] = markdown.split(`\n# ${subject.name}\n`);
  const [own = ""] = section.split(/^# /m);
  const [example] = commentOf(subject)?.getTags("@example") ?? [];
  const blocks = [...`${prose(example?.content)}\n${own}`.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const programs = blocks.map(([, language = "", text = ""]) => {
    const name = language === "ts" ? "typescript" : language;
    return [name, complete(name, text)];
  });
  const [end = "", ...sections] = own.replaceAll(/^```\w+\n.*?^```$/gms, "").split(/^(?=## )/m);
  return {
    programs: Object.fromEntries(programs) as Notes["programs"],
    sections: sections.join("").trim(),
    end: end.trim(),
  };
}

/** Completes a program with its imports and, in Go and Java, with the function around it. */
function complete(language: string, text: string): string {
  const used = IMPORTS.filter(([of, pattern]) => of === language && pattern.test(text));
  const imports = used.map(([, , line]) => line).join("");
  const indented = (by: string): string => text.replaceAll(/^(?=.)/gm, by);
  switch (language) {
    case "go":
      return `package main

import (
${imports})

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
${indented("\t\t")}\t\treturn nil
	})
}
`;
    case "java":
      return `${imports}
public class App {
    public static void main(String[] args) {
        Pulumi.run(ctx -> {
${indented(" ".repeat(12))}        });
    }
}
`;
    default:
      return imports === "" || text.startsWith("import ") ? text : `${imports}\n${text}`;
  }
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
