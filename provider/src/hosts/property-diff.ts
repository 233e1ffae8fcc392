import { isRecord, type Properties } from "../handlers/contract.js";

/** A property that differs, at any depth. */
export interface PropertyChange {
  /** As the engine writes it: `rotation.trigger`, `states["102"]`. */
  readonly path: string;
  readonly kind: "add" | "delete" | "update";
}

/** Compares inputs, as deep as both are objects. */
export function changedProperties(olds: Properties, news: Properties, parent = ""): PropertyChange[] {
  const names = new Set([...Object.keys(olds), ...Object.keys(news)]);
  return [...names].flatMap((name): PropertyChange[] => {
    const [before, after] = [olds[name] ?? null, news[name] ?? null];
    const path = parent + member(name, parent === "");
    if (isRecord(before) && isRecord(after)) return changedProperties(before, after, path);
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    return [{ path, kind: before === null ? "add" : after === null ? "delete" : "update" }];
  });
}

function member(name: string, isFirst: boolean): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return isFirst ? name : `.${name}`;
  return `[${JSON.stringify(name)}]`;
}
