/** A table in Markdown, its columns padded as Prettier pads them; all but the first `texts` columns are right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], texts = 1): string {
  const widths = head.map((title, column) =>
    Math.max(3, ...[title, ...rows.map((row) => row[column] ?? "")].map((cell) => cell.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => pad(cells[column] ?? "", width, column < texts)).join(" | ")} |`;
  const rule = widths.map((width, column) =>
    column < texts ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}

/** How often the rows of a table were measured. */
export function timesText(rows: readonly { readonly rounds: number }[]): string {
  const rounds = rows[0]?.rounds ?? 0;
  return rounds === 1 ? "one run" : `medians of ${rounds} rounds`;
}

function pad(cell: string, width: number, left: boolean): string {
  return left ? cell.padEnd(width) : cell.padStart(width);
}
