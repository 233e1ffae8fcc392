import { API_ROOT, OPERATIONS, type Operation } from "../api/operations.js";

/** What a request asks for. */
export type Route =
  | {
      readonly kind: "operation";
      readonly operation: Operation;
      /** The path parameter, decoded; `""` for operations without one. */
      readonly parameter: string;
    }
  | { readonly kind: "whoami" }
  | {
      readonly kind: "wrongMethod";
      /** The methods that this path has, for the `allow` header. */
      readonly allow: string;
    }
  | { readonly kind: "malformed" }
  | { readonly kind: "unknown" };

const PATTERNS = (Object.keys(OPERATIONS) as Operation[]).map((operation) => {
  const { method, template } = OPERATIONS[operation];
  return { operation, method, pattern: new RegExp(`^${API_ROOT}${template.replace(/\{\w+\}/, "([^/]+)")}$`) };
});

/** Finds what a request asks for; `path` is as sent, and no dot segment in it is resolved. */
export function findRoute(basePath: string, method: string, path: string): Route {
  const [withoutQuery = ""] = path.split("?", 1);
  if (!withoutQuery.startsWith(basePath)) return { kind: "unknown" };
  const relative = withoutQuery.slice(basePath.length);
  if (relative === "/whoami")
    return method === "GET" ? { kind: "whoami" } : { kind: "wrongMethod", allow: "GET" };

  const matches = PATTERNS.flatMap((candidate) => {
    const match = candidate.pattern.exec(relative);
    return match ? [{ ...candidate, encoded: match[1] ?? "" }] : [];
  });
  if (matches.length === 0) return { kind: "unknown" };
  const match = matches.find((candidate) => candidate.method === method);
  if (match === undefined) {
    return { kind: "wrongMethod", allow: matches.map((candidate) => candidate.method).join(", ") };
  }
  try {
    return { kind: "operation", operation: match.operation, parameter: decodeURIComponent(match.encoded) };
  } catch {
    return { kind: "malformed" }; // A "%" that is not followed by two hexadecimal digits.
  }
}
