import { resolve } from "node:path";

import { toKeyId } from "../../api/responses/key-id.js";
import { HELP_OPTION, parseOptions, UsageError } from "../command.js";
import { PROJECT_OPTIONS } from "../project.js";

/** Which webhooks, and how they are named. */
export interface WebhookChoice {
  /** The ids asked for; `null` for all. */
  readonly webhookIds: readonly number[] | null;
  /** What the names begin with. */
  readonly prefix: string;
}

/** Where a key comes from, and how it is named. */
export interface KeyChoice {
  /** `null` for stdin; else the name of an environment variable. */
  readonly variable: string | null;
  readonly name: string;
  /** The id by which the service deletes the key; `null` if none was given. */
  readonly keyId: string | null;
}

/** What `adopt` was asked to do. */
export interface AdoptOptions {
  readonly webhooks: WebhookChoice;
  /** `null` where webhooks are asked for. */
  readonly key: KeyChoice | null;
  /** `null` for stdout. */
  readonly out: string | null;
  /** `null` for none. */
  readonly importFile: string | null;
  /** Whether files may be overwritten. */
  readonly force: boolean;
  readonly cwd: string;
  readonly stack: string | undefined;
}

const OPTIONS = {
  webhooks: { type: "string" },
  prefix: { type: "string" },
  "api-key": { type: "string" }, // Only to say why there is no such option.
  "api-key-stdin": { type: "boolean", default: false },
  "api-key-env": { type: "string" },
  "api-key-id": { type: "string" },
  name: { type: "string" },
  out: { type: "string" },
  "import-file": { type: "string" },
  force: { type: "boolean", default: false },
  ...PROJECT_OPTIONS,
  help: HELP_OPTION,
} as const;

type Values = ReturnType<typeof parseOptions<typeof OPTIONS>>;

/**
 * Understands the command line. No message repeats a value that may be a key in the wrong place.
 *
 * @returns `null` if only help is asked for.
 * @throws {UsageError}
 */
export function parseAdoptOptions(args: readonly string[]): AdoptOptions | null {
  if (args.some((arg) => /^--api-key(=|$)/.test(arg))) {
    throw new UsageError(
      "a key is not taken from the command line, where other users (ps) and the shell's history see it. Give it by --api-key-stdin or --api-key-env.",
    );
  }
  const values = parseOptions(args, OPTIONS);
  if (values.help) return null;
  const { out, cwd, "import-file": importFile } = values;
  if (out !== undefined && importFile !== undefined && resolve(cwd, out) === resolve(cwd, importFile))
    throw new UsageError("--out and --import-file must be two files.");
  const key = keyChoice(values);
  if (key !== null && (values.webhooks !== undefined || values.prefix !== undefined))
    throw new UsageError(
      "a key and webhooks are adopted one after the other: leave out --webhooks and --prefix.",
    );
  return {
    webhooks: {
      webhookIds: webhookIds(values.webhooks),
      prefix: nameOption("--prefix", values.prefix ?? "webhook-"),
    },
    key,
    out: out ?? null,
    importFile: importFile ?? null,
    force: values.force,
    cwd,
    stack: values.stack,
  };
}

function keyChoice(values: Values): KeyChoice | null {
  const variable = values["api-key-env"] ?? null;
  const keyId = values["api-key-id"] ?? null;
  const { name } = values;
  if (variable === null && !values["api-key-stdin"]) {
    if (name === undefined && keyId === null) return null;
    throw new UsageError("--name and --api-key-id need a key: give it by --api-key-stdin or --api-key-env.");
  }
  if (variable !== null && values["api-key-stdin"])
    throw new UsageError("give the key either by --api-key-stdin or by --api-key-env.");
  if (name === undefined)
    throw new UsageError("a key needs a name for its resource, such as --name checkout.");
  if (keyId !== null && values["import-file"] === undefined)
    throw new UsageError("--api-key-id needs --import-file, as a program cannot give the id of a key.");
  if (keyId !== null && toKeyId(keyId) === null)
    throw new UsageError("--api-key-id must be 1 to 256 visible ASCII characters.");
  return { variable, name: nameOption("--name", name), keyId };
}

function webhookIds(list: string | undefined): number[] | null {
  if (list === undefined) return null;
  const ids = list.split(",").map((id) => (/^[1-9]\d*$/.test(id) ? Number(id) : NaN));
  if (ids.every(Number.isSafeInteger)) return [...new Set(ids)];
  throw new UsageError("--webhooks must be ids with commas between, such as 101,102.");
}

/** Names stand in URNs, in code and in commands: what none of them has to quote is enough. */
function nameOption(option: string, text: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(text)) return text;
  throw new UsageError(
    `${option} must be 1 to 100 letters, digits, ".", "_" or "-", a letter or digit first.`,
  );
}
