/** A line of a chart: its name and its points. */
export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** What a chart shows. */
export interface ChartOptions {
  readonly title: string;
  readonly xLabel: string;
  readonly lines: readonly Line[];
}

const [WIDTH, HEIGHT] = [640, 320];
const MARGIN = { top: 40, right: 110, bottom: 44, left: 56 };
/** Told apart also without colour vision (Okabe and Ito), and on white as well as on black. */
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#d55e00"];
/** Greys that are readable on both. */
const STYLE = `text{font:12px system-ui,sans-serif;fill:#57606a}.title{font-size:14px;font-weight:600}
.grid{stroke:#8b949e;stroke-opacity:.35}.line{fill:none;stroke-width:2}
@media(prefers-color-scheme:dark){text{fill:#c9d1d9}}`;

/** A line chart as SVG, readable in light and in dark. */
export function lineChart({ title, xLabel, lines }: ChartOptions): string {
  const xs = [...new Set(lines.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);
  const yTicks = ticks(Math.max(...lines.flatMap(({ points }) => points.map(([, y]) => y))));
  const [xMax, yMax] = [xs.at(-1) ?? 1, yTicks.at(-1) ?? 1];
  const left = (x: number): number => MARGIN.left + (x / xMax) * (WIDTH - MARGIN.left - MARGIN.right);
  const top = (y: number): number =>
    HEIGHT - MARGIN.bottom - (y / yMax) * (HEIGHT - MARGIN.top - MARGIN.bottom);

  const parts = [
    text(MARGIN.left, 20, title, 'class="title"'),
    text((MARGIN.left + WIDTH - MARGIN.right) / 2, HEIGHT - 8, xLabel, 'text-anchor="middle"'),
    ...yTicks.flatMap((y) => [
      `<path class="grid" d="M${left(0)} ${round(top(y))}H${WIDTH - MARGIN.right}"/>`,
      text(MARGIN.left - 8, top(y) + 4, String(y), 'text-anchor="end"'),
    ]),
    ...xs
      .filter((x) => x === 1 || x > xMax / 20)
      .map((x) => text(left(x), HEIGHT - MARGIN.bottom + 18, String(x), 'text-anchor="middle"')),
  ];
  const labelTops = spread(lines.map(({ points }) => top(points.at(-1)?.[1] ?? 0)));
  lines.forEach(({ name, points }, index) => {
    const colour = COLOURS[index % COLOURS.length] ?? "";
    const path = points.map(([x, y]) => `${round(left(x))} ${round(top(y))}`).join("L");
    parts.push(
      `<path class="line" stroke="${colour}" d="M${path}"/>`,
      ...points.map(
        ([x, y]) => `<circle cx="${round(left(x))}" cy="${round(top(y))}" r="3" fill="${colour}"/>`,
      ),
      text(left(points.at(-1)?.[0] ?? xMax) + 8, (labelTops[index] ?? 0) + 4, name, `style="fill:${colour}"`),
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${title}"><style>${STYLE}</style>\n${parts.join("\n")}\n</svg>\n`;
}

/** Four to ten round numbers from 0 to at least the greatest value. */
function ticks(greatest: number): number[] {
  const rough = greatest / 5 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.ceil(greatest / step) + 1 }, (_, index) =>
    Number((index * step).toPrecision(6)),
  );
}

/** Moves labels apart that would stand on one another. */
function spread(tops: readonly number[]): number[] {
  const gap = 14;
  const order = tops.map((_, index) => index).sort((a, b) => (tops[a] ?? 0) - (tops[b] ?? 0));
  const moved = [...tops];
  let last = -Infinity;
  for (const index of order) {
    last = Math.max(tops[index] ?? 0, last + gap);
    moved[index] = last;
  }
  return moved;
}

function text(x: number, y: number, content: string, attributes = ""): string {
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${content}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
