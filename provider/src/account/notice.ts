/** A message to the user that is not an error. */
export interface Notice {
  /** What the user asked for is `information`; a `warning` is for what the user did not ask for. */
  readonly severity: "information" | "warning";
  readonly text: string;
}

export function information(text: string): Notice {
  return { severity: "information", text };
}

export function warning(text: string): Notice {
  return { severity: "warning", text };
}
