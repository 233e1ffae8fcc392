/** Pixels. The longest line of the demo has 100 characters, and no common monospace font is wider than 0.62 of its size. */
const [FONT_SIZE, LINE_HEIGHT, PADDING, WIDTH] = [12.5, 17, 20, 820] as const;

interface Colours {
  readonly paper: string;
  readonly edge: string;
  /** By the class of a line; `text` is all others. */
  readonly lines: Readonly<Record<string, string>>;
}

/** Against the paper, all lines have a contrast of 4.5 or more (WCAG 2.2, 1.4.3). */
const LIGHT: Colours = {
  paper: "#ffffff",
  edge: "#d0d7de",
  lines: {
    text: "#1f2328",
    ".heading": "#57606a",
    ".made": "#1a7f37",
    ".gone": "#cf222e",
    ".changed": "#8a5a00",
    ".told": "#0969da",
  },
};
const DARK: Colours = {
  paper: "#0d1117",
  edge: "#3d444d",
  lines: {
    text: "#e6edf3",
    ".heading": "#9198a1",
    ".made": "#3fb950",
    ".gone": "#ff7b72",
    ".changed": "#d29922",
    ".told": "#58a6ff",
  },
};

const FONTS = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^━━/, "heading"],
  [/^\$ /, "command"],
  [/^ +\+ /, "made"],
  [/^ +- /, "gone"],
  [/^ +~ /, "changed"],
  [/^→ /, "told"],
];

/** A terminal with these lines. The text is text: it can be searched and selected. */
export function terminal(lines: readonly string[], title: string): string {
  const height = lines.length * LINE_HEIGHT + 2 * PADDING;
  const texts = lines.map((line, index) => {
    const y = PADDING + (index + 1) * LINE_HEIGHT - 5;
    const kind = KINDS.find(([pattern]) => pattern.test(line))?.[1];
    const attributes = `x="${PADDING}" y="${y}"${kind === undefined ? "" : ` class="${kind}"`}`;
    return line === "" ? "" : `  <text xml:space="preserve" ${attributes}>${escape(line)}</text>\n`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
  <title>${escape(title)}</title>
  <style>
    text { font-family: ${FONTS}; font-size: ${FONT_SIZE}px; white-space: pre; }
    .heading, .command { font-weight: 600; }
    ${rules(LIGHT)}
    @media (prefers-color-scheme: dark) {
      ${rules(DARK)}
    }
  </style>
  <rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8" />
${texts.join("")}</svg>
`;
}

function rules({ paper, edge, lines }: Colours): string {
  const texts = Object.entries(lines).map(([selector, colour]) => `${selector} { fill: ${colour}; }`);
  return [`rect { fill: ${paper}; stroke: ${edge}; }`, ...texts].join(" ");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
