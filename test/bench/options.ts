import { parseArgs } from "node:util";

/** What the bench can measure; each part can be run by itself. */
export const SECTIONS = [
  "webhooks",
  "cli",
  "keys",
  "parallel",
  "growth",
  "settings",
  "profile",
  "list",
  "start",
] as const;

/** One of {@link SECTIONS}. */
export type Section = (typeof SECTIONS)[number];

/** What is measured, and how often. */
export interface BenchOptions {
  readonly sections: readonly Section[];
  /** Rounds of each case. */
  readonly repetitions: number;
  /** How many webhooks. */
  readonly webhooks: readonly number[];
  /** How many keys. */
  readonly keys: readonly number[];
  /** Milliseconds that the service takes to answer. */
  readonly latencies: readonly number[];
  /** How many webhooks, where the growth is measured. */
  readonly growth: readonly number[];
  /** Whether the results go into docs/. */
  readonly write: boolean;
}

const HELP = `Usage: npm run bench -- [options]

Measures pulumi-partners beside its alternatives, checks the goals, and writes docs/performance.md.

  --quick               a few minutes: fewer resources and rounds; writes nothing
  --long                500 webhooks, the growth to 2000 and the engine's settings: adds to the page what takes long
  --only <sections>     of ${SECTIONS.join(", ")}; the page keeps what it has of the others
  --repetitions <n>     rounds of each case (default: 5)
  --webhooks <counts>   default: 1,50,200; without latency, those from 200 on
  --keys <counts>       default: 1,20,100; with latency only
  --latencies <ms>      default: 0,50
  --growth <counts>     default: 500,1000,2000; the settings are measured with the first two
  --no-write            print only
  --help                this text
`;

/** Reads the command line; prints the help and ends the process if it is asked for or does not understand something. */
export function readOptions(args: readonly string[]): BenchOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      allowNegative: true,
      options: {
        quick: { type: "boolean", default: false },
        long: { type: "boolean", default: false },
        only: { type: "string" },
        repetitions: { type: "string" },
        webhooks: { type: "string" },
        keys: { type: "string" },
        latencies: { type: "string" },
        growth: { type: "string" },
        write: { type: "boolean" },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) leave(HELP, 0);
    const usual = values.quick ? QUICK : values.long ? LONG : USUAL;
    return {
      sections: values.only?.split(",").map(asSection) ?? usual.sections,
      repetitions: asNumbers(values.repetitions)?.[0] ?? usual.repetitions,
      webhooks: asNumbers(values.webhooks) ?? usual.webhooks,
      keys: asNumbers(values.keys) ?? usual.keys,
      latencies: asNumbers(values.latencies) ?? usual.latencies,
      growth: asNumbers(values.growth) ?? usual.growth,
      write: values.write ?? usual.write,
    };
  } catch (error) {
    leave(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`, 2);
  }
}

/** What is measured without further options: about three quarters of an hour on two cores. */
const USUAL = {
  sections: ["webhooks", "cli", "keys", "parallel", "profile", "list", "start"],
  repetitions: 5,
  webhooks: [1, 50, 200],
  keys: [1, 20, 100],
  latencies: [0, 50],
  growth: [500, 1000, 2000],
  write: true,
} as const;
/** What takes the engine long, and is added to the page of the usual run. */
const LONG = {
  ...USUAL,
  sections: ["webhooks", "growth", "settings"],
  webhooks: [500],
  latencies: [50],
} as const;
const QUICK = {
  sections: SECTIONS,
  repetitions: 1,
  webhooks: [1, 50],
  keys: [20],
  latencies: [50],
  growth: [100, 200],
  write: false,
};

function asSection(text: string): Section {
  const section = SECTIONS.find((one) => one === text);
  if (section === undefined) throw new Error(`There is no section "${text}".`);
  return section;
}

function asNumbers(text: string | undefined): number[] | undefined {
  const numbers = text?.split(",").map(Number);
  if (numbers?.some((number) => !Number.isInteger(number) || number < 0)) {
    throw new Error(`"${text ?? ""}" is no list of whole numbers.`);
  }
  return numbers;
}

function leave(text: string, code: number): never {
  process.stderr.write(text);
  process.exit(code);
}
