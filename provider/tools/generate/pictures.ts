/**
 * Draws the pictures of README and docs/versions.md for `npm run docs`: SVG without scripts or fonts. The
 * light theme is in attributes, so that every viewer shows it; a style sheet adds the dark one. Packages such
 * as ansi-to-svg draw only one theme, without the 256 colors of the CLI.
 */

/** The steps of the demo that README shows, by the start of their headings. */
const SHOWN_STEPS = ["Someone disables", "Up again"];

/** The size of a character, and the columns after which a line continues on the next one. */
const CELL = { width: 7.8, height: 18, columns: 102 };

/** Theme colors as [light, dark]. `color0` to `color7` are those of a terminal. */
const COLORS = {
  background: ["#f6f8fa", "#151b23"],
  border: ["#d1d9e0", "#3d444d"],
  text: ["#1f2328", "#e6edf3"],
  muted: ["#59636e", "#9198a1"],
  color1: ["#cf222e", "#ff7b72"],
  color2: ["#116329", "#3fb950"],
  color3: ["#7d4e00", "#d29922"],
  color4: ["#0550ae", "#58a6ff"],
  color5: ["#8250df", "#bc8cff"],
  bar0: ["#0550ae", "#58a6ff"],
  bar1: ["#80b3f0", "#27548f"],
  bar2: ["#bc4c00", "#f0883e"],
  bar3: ["#afb8c1", "#656c76"],
};

/**
 * Draws a recorded terminal.
 *
 * @param recording The output of the demo, with the escape sequences of its colors.
 */
export function demoPicture(recording: string): string {
  const steps = recording.split(/\n(?=\S*━━ )/);
  const shown = SHOWN_STEPS.flatMap((start) => steps.filter((step) => step.includes(`━━ ${start}`)));
  if (shown.length !== SHOWN_STEPS.length) throw new Error("The recorded demo lacks a step of the picture.");
  const lines = terminalLines(shown.map((step) => step.trimEnd()).join("\n\n"));
  const margin = 20;
  const texts = lines.map((characters, index) => {
    const y = margin + (index + 0.75) * CELL.height;
    const length = (characters.length * CELL.width).toFixed(1);
    return `<text x="${margin}" y="${y}" textLength="${length}">${tspans(characters)}</text>`;
  });
  const drawn = texts.filter((_, index) => lines[index]?.some(({ text }) => text !== " "));
  const width = 2 * margin + CELL.columns * CELL.width;
  const title = "The demo in a terminal: a refresh detects a disabled webhook, and pulumi up repairs it";
  const font = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
  return svg(title, width, 2 * margin + lines.length * CELL.height, drawn, font);
}

interface Character {
  readonly text: string;
  /** The CSS classes. */
  readonly style: string;
}

/** Splits a terminal's output into the lines of a window. @throws {Error} if a color has no class. */
function terminalLines(output: string): Character[][] {
  const lines: Character[][] = [];
  let [bold, color] = ["", ""];
  for (const line of output.split("\n")) {
    let current: Character[] = [];
    lines.push(current);
    for (const [, codes, text = ""] of line.matchAll(/\u001b\[([\d;]*)m|([^])/gu)) {
      if (codes === undefined) {
        if (current.length === CELL.columns) {
          const wordStart = current.findLastIndex((character) => character.text === " ") + 1;
          lines.push((current = current.splice(wordStart || CELL.columns)));
        }
        current.push({ text, style: `${bold} ${color}`.trim() });
      } else if (codes === "0") [bold, color] = ["", ""];
      else if (codes === "1") bold = "bold";
      else if (codes === "22") bold = "";
      else if (codes === "39") color = "";
      else {
        const [, number] = /^(?:38;5;|3)(\d+)$/.exec(codes) ?? [];
        color = `color${Number(number) % 8}`;
        if (!(color in COLORS)) throw new Error(`The picture of the demo has no color for ${codes}.`);
      }
    }
  }
  return lines;
}

/** Joins characters of the same style. */
function tspans(characters: readonly Character[]): string {
  const runs: Character[] = [];
  for (const { text, style } of characters) {
    const last = runs.at(-1);
    if (last?.style === style) runs.splice(-1, 1, { style, text: last.text + text });
    else runs.push({ text, style });
  }
  return runs
    .map(({ text, style }) =>
      style === "" ? escaped(text) : `<tspan class="${style}">${escaped(text)}</tspan>`,
    )
    .join("");
}

/** Draws the table about performance in docs/versions.md as one bar chart per number of webhooks. */
export function performancePicture(markdown: string): string {
  const [, section = ""] = markdown.split("\n## Performance\n");
  const table = /(?:^\|.*\|\n)+/m.exec(section)?.[0] ?? "";
  const [header = [], , ...rows] = table
    .trim()
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const operations = header.slice(2);
  const contenders = [...new Set(rows.map(([, contender = ""]) => contender))];
  const counts = [...new Set(rows.map(([count = ""]) => count))];
  const seconds = rows.flatMap((row) => row.slice(2).map(Number));
  const highest = Math.ceil(Math.max(...seconds));
  if (!Number.isFinite(highest) || seconds.length === 0) throw new Error("docs/versions.md has no table.");

  const [left, bar, gap, chart, top] = [50, 30, 30, 150, 60];
  const group = contenders.length * bar + gap;
  const width = left + operations.length * group + 10;
  const shapes = contenders.map((contender, index) => {
    const x = left + index * 110;
    const box = `<rect class="bar${index}" x="${x}" y="18" width="12" height="12"/>`;
    return box + label(x + 18, 28, contender);
  });
  for (const [panel, count] of counts.entries()) {
    const base = top + 25 + chart + panel * (chart + 75);
    shapes.push(label(left, base - chart - 8, `${count} ${count === "1" ? "webhook" : "webhooks"}`, "bold"));
    for (let tick = 0; tick <= highest; tick += Math.ceil(highest / 4)) {
      const y = base - (tick / highest) * chart;
      shapes.push(`<path class="grid" d="M${left} ${y.toFixed(1)}H${width - 10}"/>`);
      shapes.push(label(left - 8, y + 4, `${tick} s`, "muted end"));
    }
    for (const [column, operation] of operations.entries()) {
      const start = left + gap / 2 + column * group;
      shapes.push(label(start + (contenders.length * bar) / 2, base + 18, operation, "middle"));
      for (const [index, contender] of contenders.entries()) {
        const cell = rows.find((row) => row[0] === count && row[1] === contender)?.[column + 2] ?? "";
        const height = (Number(cell) / highest) * chart;
        const [x, y] = [start + index * bar, base - height];
        const size = `width="${bar - 2}" height="${height.toFixed(1)}"`;
        shapes.push(`<rect class="bar${index}" x="${x}" y="${y.toFixed(1)}" ${size}/>`);
        shapes.push(label(x + bar / 2 - 1, y - 4, Number(cell).toFixed(1), "muted middle small"));
      }
    }
  }
  const title = `Seconds per command with ${counts.join(" and ")} webhooks: ${contenders.join(", ")}`;
  const font = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";
  return svg(title, width, top + counts.length * (chart + 75) - 10, shapes, font);
}

function label(x: number, y: number, text: string, style = ""): string {
  return `<text x="${x}" y="${y.toFixed(1)}"${style && ` class="${style}"`}>${escaped(text)}</text>`;
}

/** What a class means besides a color, as attributes. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  bold: 'font-weight="bold"',
  middle: 'text-anchor="middle"',
  end: 'text-anchor="end"',
  small: 'font-size="11"',
  grid: `stroke="${COLORS.border[0]}"`,
};

/** Writes what the classes of a shape mean as attributes. The classes stay, for the dark theme. */
function painted(shape: string): string {
  return shape.replaceAll(/class="([^"]*)"/g, (attribute, names: string) =>
    [
      attribute,
      ...names.split(" ").map((name) => {
        const [light] = name in COLORS ? COLORS[name as keyof typeof COLORS] : [];
        return light === undefined ? ATTRIBUTES[name] : `fill="${light}"`;
      }),
    ].join(" "),
  );
}

/** Puts shapes on a panel with a title for screen readers. */
function svg(title: string, width: number, height: number, shapes: readonly string[], font: string): string {
  const used = Object.entries(COLORS).filter(([name]) =>
    new RegExp(`class="[^"]*\\b${name}\\b`).test(shapes.join()),
  );
  const [right, bottom] = [Math.ceil(width), Math.ceil(height)];
  const size = `width="${right}" height="${bottom}" viewBox="0 0 ${right} ${bottom}"`;
  const { background, border, text } = COLORS;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">`,
    `<title>${escaped(title)}</title>`,
    "<style>",
    "@media (prefers-color-scheme: dark) {",
    `.panel { fill: ${background[1]}; stroke: ${border[1]} } .grid { stroke: ${border[1]} }`,
    `text { fill: ${text[1]} }`,
    ...used.map(([name, [, dark]]) => `.${name} { fill: ${dark ?? ""} }`),
    "}",
    "</style>",
    `<rect class="panel" fill="${background[0]}" stroke="${border[0]}" ` +
      `x="0.5" y="0.5" width="${right - 1}" height="${bottom - 1}" rx="6"/>`,
    `<g fill="${text[0]}" font-family="${font}" font-size="13" xml:space="preserve">`,
    ...shapes.map(painted),
    "</g>",
    "</svg>\n",
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
