/** A bar of a chart. */
export interface Bar {
  /** Shown once, at the first of the bars that follow each other in it. */
  readonly group: string;
  readonly name: string;
  readonly value: number;
}

const BAR = { left: 200, longest: 360, height: 14, distance: 20 };
const TOP = 36;
const STYLE = `text{font:12px system-ui,sans-serif;fill:#57606a}.title{font-size:14px;font-weight:600}
rect{fill:#8b949e}.native,.dynamic{fill:#0072b2}@media(prefers-color-scheme:dark){text{fill:#c9d1d9}.native,.dynamic{fill:#56b4e9}}`;

/** Returns horizontal bars as SVG, readable in light and in dark mode. Those of our own contenders stand out. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const greatest = Math.max(...bars.map(({ value }) => value));
  const parts = bars.flatMap(({ group, name, value }, index) => {
    const [y, length] = [TOP + index * BAR.distance, Math.round((value / greatest) * BAR.longest)];
    return [
      ...(group === bars[index - 1]?.group ? [] : [text(8, y + 12, group)]),
      text(BAR.left - 8, y + 12, name, 'text-anchor="end"'),
      `<rect class="${name}" x="${BAR.left}" y="${y}" width="${length}" height="${BAR.height}"/>`,
      text(BAR.left + length + 8, y + 12, value.toFixed(2)),
    ];
  });
  const size = `width="640" viewBox="0 0 640 ${TOP + bars.length * BAR.distance}"`;
  const open = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${title}">`;
  const heading = text(8, 20, title, 'class="title"');
  return `${open}<style>${STYLE}</style>\n${[heading, ...parts].join("\n")}\n</svg>\n`;
}

function text(x: number, y: number, content: string, attributes = ""): string {
  return `<text x="${x}" y="${y}" ${attributes}>${content}</text>`;
}
