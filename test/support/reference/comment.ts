import type { Comment, CommentDisplayPart, Reflection } from "typedoc";

/** Where on the page something is documented; `null` if it has no place of its own. */
export interface Anchors {
  readonly of: (target: Reflection) => string | null;
  /** Of the first name in a type, as `Input<RotationArgs>`. */
  readonly inType: (type: string) => string | null;
}

/** The text of a comment, as Markdown; `{@link …}` leads to where the thing is documented on the page. */
export function proseOf(parts: readonly CommentDisplayPart[], anchors: Anchors): string {
  return parts
    .map((part) => {
      if (part.kind !== "inline-tag") return part.text;
      const { target } = part;
      const anchor = typeof target === "object" && "kind" in target ? anchors.of(target) : null;
      return anchor === null ? `\`${part.text}\`` : `[\`${part.text}\`](#${anchor})`;
    })
    .join("")
    .trim();
}

/** The text in one line, for the cell of a table. */
export function cellOf(parts: readonly CommentDisplayPart[] | undefined, anchors: Anchors): string {
  return proseOf(parts ?? [], anchors)
    .replaceAll(/\n\s*\n/g, "<br>")
    .replaceAll("\n", " ")
    .replaceAll("|", "\\|");
}

/** What stands behind a block tag such as `@throws`; `""` where there is none. */
export function tagOf(comment: Comment | undefined, tag: `@${string}`, anchors: Anchors): string {
  return (comment?.getTags(tag) ?? []).map(({ content }) => proseOf(content, anchors)).join("\n\n");
}
