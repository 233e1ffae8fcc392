import {
  ReflectionKind,
  UnionType,
  type DeclarationReflection,
  type ParameterReflection,
  type Reflection,
  type SignatureReflection,
} from "typedoc";

import { cellOf, proseOf, tagOf, type Anchors } from "./comment.ts";

/** The parts of a module, in the order in which they are read. */
const CHAPTERS = [
  ["Resources", [ReflectionKind.Class]],
  ["Functions", [ReflectionKind.Function]],
  ["Constants", [ReflectionKind.Variable]],
  ["Types", [ReflectionKind.Interface, ReflectionKind.TypeAlias]],
] as const;

/** A module as Markdown. The arguments of a class (`FooArgs` of `Foo`) follow it, whatever their kind. */
export function renderModule(module: DeclarationReflection, anchors: Anchors): string[] {
  const members = module.children ?? [];
  const argsOf = (owner: DeclarationReflection) => members.find(({ name }) => name === `${owner.name}Args`);
  const classes = members.filter((member) => member.kindOf(ReflectionKind.Class));
  const placed = new Set(classes.map(argsOf));
  return CHAPTERS.flatMap(([title, kinds]) => {
    const chapter = members.filter((member) => member.kindOf([...kinds]) && !placed.has(member));
    if (chapter.length === 0) return [];
    return [
      `## ${title}`,
      ...chapter.flatMap((member) => [
        `### ${member.name}`,
        ...renderMember(member, argsOf(member), anchors),
      ]),
    ];
  });
}

function renderMember(
  member: DeclarationReflection,
  args: DeclarationReflection | undefined,
  anchors: Anchors,
): string[] {
  const { signatures: [signature] = [] } = member;
  if (signature) return renderSignature(signature, signature.name, anchors);
  const about = describe(member, anchors);
  if (member.kindOf(ReflectionKind.Class)) {
    const constructor = member.children?.find(({ kind }) => kind === ReflectionKind.Constructor);
    const [construct] = constructor?.signatures ?? [];
    const outputs = propertiesOf(member);
    return [
      ...about,
      ...(construct ? renderSignature(construct, `new ${member.name}`, anchors) : []),
      ...(args ? [`#### ${args.name}`, ...describe(args, anchors), argumentTable(args, anchors)] : []),
      ...(outputs.length > 0 ? ["#### Outputs", outputTable(outputs, anchors)] : []),
    ];
  }
  if (member.kindOf(ReflectionKind.Interface)) return [...about, ...renderInterface(member, anchors)];
  const declaration = member.kindOf(ReflectionKind.Variable) ? "const" : "type";
  const sign = declaration === "const" ? ":" : " =";
  return [
    ...about,
    code(`${declaration} ${member.name}${sign} ${typeOf(member)}`),
    ...renderUnion(member, anchors),
  ];
}

/** The members of a union that have a comment each. */
function renderUnion({ type }: DeclarationReflection, anchors: Anchors): string[] {
  if (!(type instanceof UnionType) || !type.elementSummaries) return [];
  const summaries = type.elementSummaries;
  const rows = type.types.map((one, index) => [`\`${one.toString()}\``, cellOf(summaries[index], anchors)]);
  return [table(["value", "meaning"], rows)];
}

function renderInterface(member: DeclarationReflection, anchors: Anchors): string[] {
  const methods = (member.children ?? []).flatMap(({ signatures = [] }) => signatures);
  const properties = propertiesOf(member);
  const bases = (member.extendedTypes ?? []).map(
    (base) => `[\`${base.toString()}\`](#${base.toString().toLowerCase()})`,
  );
  return [
    ...(bases.length > 0 ? [`It has the members of ${bases.join(" and ")} as well.`] : []),
    ...(properties.length > 0 ? [argumentTable(member, anchors)] : []),
    ...(methods.length > 0 ? [methodTable(methods, anchors)] : []),
    ...methods.flatMap((method) => {
      const example = tagOf(method.comment, "@example", anchors);
      return example === "" ? [] : [`An example of \`${method.name}\`:`, example];
    }),
  ];
}

function renderSignature(signature: SignatureReflection, name: string, anchors: Anchors): string[] {
  const { comment, parameters = [] } = signature;
  const returns = name.startsWith("new ") ? "" : `: ${typeOf(signature)}`;
  const [throws, result] = [tagOf(comment, "@throws", anchors), tagOf(comment, "@returns", anchors)];
  const described = parameters.filter((parameter) => parameter.comment);
  return [
    code(`${name}(${parameters.map(parameterText).join(", ")})${returns}`),
    ...(comment ? [proseOf(comment.summary, anchors)] : []),
    ...(described.length > 0
      ? [described.map((one) => `- \`${one.name}\`: ${cellOf(one.comment?.summary, anchors)}`).join("\n")]
      : []),
    ...(result === "" ? [] : [`Returns: ${result}`]),
    ...(throws === "" ? [] : [`Throws ${throws}`]),
    tagOf(comment, "@example", anchors),
  ];
}

/** What an interface or a class says of itself. */
function describe({ comment }: DeclarationReflection, anchors: Anchors): string[] {
  return comment ? [proseOf(comment.summary, anchors), tagOf(comment, "@example", anchors)] : [];
}

function propertiesOf(member: DeclarationReflection): DeclarationReflection[] {
  const kinds = [ReflectionKind.Property, ReflectionKind.Accessor];
  return (member.children ?? []).filter((child) => child.kindOf(kinds) && !child.inheritedFrom);
}

function argumentTable(member: DeclarationReflection, anchors: Anchors): string {
  const properties = propertiesOf(member);
  const optional = properties.some(({ flags }) => flags.isOptional);
  const rows = properties.map((property) => {
    const standard = property.comment?.getTag("@default");
    const value = property.flags.isOptional ? literal(cellOf(standard?.content, anchors)) : "required";
    const cells = [nameCell(property), typeCell(property, anchors)];
    return [...cells, ...(optional ? [value] : []), meaning(property, anchors)];
  });
  return table(["name", "type", ...(optional ? ["default"] : []), "meaning"], rows);
}

function outputTable(outputs: readonly DeclarationReflection[], anchors: Anchors): string {
  const rows = outputs.map((output) => [
    nameCell(output),
    typeCell(output, anchors),
    meaning(output, anchors),
  ]);
  return table(["name", "type", "meaning"], rows);
}

function methodTable(methods: readonly SignatureReflection[], anchors: Anchors): string {
  const rows = methods.map((method) => {
    const { name, parameters = [], comment } = method;
    const throws = tagOf(comment, "@throws", anchors);
    const text = cellOf(comment?.summary, anchors) + (throws === "" ? "" : ` Throws ${throws}`);
    return [`\`${name}(${parameters.map(parameterText).join(", ")}): ${typeOf(method)}\``, text];
  });
  return table(["method", "meaning"], rows);
}

function nameCell({ name }: Reflection): string {
  return `\`${name}\``;
}

function typeCell(property: DeclarationReflection, anchors: Anchors): string {
  const type = typeOf(property);
  const text = `\`${type.replaceAll("|", "\\|")}\``;
  const anchor = anchors.inType(type);
  return anchor === null ? text : `[${text}](#${anchor})`;
}

/** A value that stands in a program, as code. */
function literal(value: string): string {
  return /^("|\[|\d+$|false$)/.test(value) ? `\`${value}\`` : value;
}

function meaning({ comment }: DeclarationReflection, anchors: Anchors): string {
  return cellOf(comment?.summary, anchors);
}

function parameterText(parameter: ParameterReflection): string {
  const optional = parameter.flags.isOptional || parameter.defaultValue !== undefined ? "?" : "";
  return `${parameter.flags.isRest ? "..." : ""}${parameter.name}${optional}: ${typeOf(parameter)}`;
}

/** `Output<number>` is an alias that the compiler resolves for some types. */
function typeOf({ type }: { readonly type?: { toString(): string } | undefined }): string {
  return (type?.toString() ?? "unknown").replaceAll("OutputInstance<", "Output<");
}

function code(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
