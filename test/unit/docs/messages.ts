import { readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

import { page } from "./tables.ts";

/** Members and variables that hold what a message says. */
const NAMES = new Set(["happened", "problem", "notice"]);
/** Functions and classes whose first argument is a message, or the first part of one. */
const SAYERS = new Set(["ConfigurationError", "RunError", "warnOnce", "warn", "refuse", "push", "plan"]);

/**
 * The messages that the sources can say, each as its longest piece of fixed text. Found by where they stand: what is said in
 * a new way has to be added to the names above.
 */
export function messages(): string[] {
  const root = join(import.meta.dirname, "../../../provider/src");
  const files = ["api", "plugin", "resources"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
  );
  const found = files
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const source = ts.createSourceFile(file, page(`provider/src/${file}`), ts.ScriptTarget.Latest);
      return sayings(source);
    });
  return [...new Set(found)];
}

function sayings(node: ts.Node): string[] {
  const own = saying(node);
  const inner: string[] = [];
  ts.forEachChild(node, (child) => void inner.push(...sayings(child)));
  return [...(own ? alternatives(own) : []), ...inner];
}

/** The expression of a message, if this node is one that says something. */
function saying(node: ts.Node): ts.Expression | undefined {
  if ((ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) && ts.isIdentifier(node.name))
    return NAMES.has(node.name.text) ? node.initializer : undefined;
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return undefined;
  const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
  if (!ts.isIdentifier(callee) || !SAYERS.has(callee.text)) return undefined;
  return node.arguments?.find((argument) => alternatives(argument).length > 0);
}

/** The longest fixed text of each alternative that an expression can be. */
function alternatives(node: ts.Expression): string[] {
  if (ts.isConditionalExpression(node))
    return [...alternatives(node.whenTrue), ...alternatives(node.whenFalse)];
  if (ts.isParenthesizedExpression(node)) return alternatives(node.expression);
  if (ts.isBinaryExpression(node)) return longest([...alternatives(node.left), ...alternatives(node.right)]);
  if (ts.isStringLiteralLike(node)) return longest([node.text]);
  if (ts.isTemplateExpression(node))
    return longest([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]);
  return [];
}

/** Shorter ones are words like `", "`. */
const SHORTEST = 12;

function longest(texts: readonly string[]): string[] {
  const [first] = texts.toSorted((one, other) => other.length - one.length);
  return first !== undefined && first.trim().length >= SHORTEST ? [first.trim()] : [];
}
