import { once } from "node:events";

import { API_ROOT, isVisibleAscii, OPERATIONS } from "../api/operations.js";
import { quoteForShell } from "../messages/wording.js";
import { KEY_KINDS } from "../sandbox/api-keys.js";
import { PAGE_STYLES } from "../sandbox/pages.js";
import { json, nameOf, type Answer } from "../sandbox/partner-account.js";
import { runSandbox, type LoggedRequest, type Sandbox } from "../sandbox/sandbox.js";
import { CommandError, parseOptions, printable, UsageError, type Command } from "./command.js";
import { readChanges } from "./sandbox-changes.js";

const HELP = `Usage: pulumi-partners sandbox [options]

Starts a Partner API on 127.0.0.1 that keeps its data in memory. Prints the settings to use, and then one
line per request. To change a webhook behind Pulumi's back, type one of these into it:

  disable <id>    activate <id>    remove <id>    add <id>

Options:
  --port <number>          port to listen on (default: any free port)
  --access-token <token>   token to accept (default: a random token)
  --other-account <token>  add an account with this token, and its own keys and webhooks
  --keys <kind>            what the service does with keys (default: new)
  --page-size <number>     maximum number of webhooks on a page of the list (default: no pages)
  --page-style <style>     how the list tells where its next page is (default: link)
  --delay <ms>             milliseconds to wait before each response, at most 600000
  --fail <status>          refuse every request with this status, such as 401, 429 or 503
  -h, --help               show this text

Kinds of keys:
  new        each creation returns another key
  same       each creation returns the key that exists
  oneRecord  each creation replaces the key, and keeps its ID
  byId       a deletion names the ID of the key; if it names the key, it gets a 404
  refused    each creation gets a 201 that reports a failure, and creates nothing

Styles of pages:
  link       the header Link has the address of the next page
  next-url   "next" has its address
  cursor     "next_cursor" has a cursor for ?cursor=
  token      "nextPageToken" has a token for ?pageToken=
  page       "page" and "total_pages" count pages for ?page=
  offset     "offset", "limit" and "total" count webhooks for ?offset=
  has-more   "has_more" is true; ?starting_after= takes the last ID
`;

export const sandboxCommand: Command = {
  help: HELP,
  run: async (args) => {
    const names = [
      "access-token",
      "other-account",
      "keys",
      "page-size",
      "page-style",
      "delay",
      "fail",
    ] as const;
    const values = parseOptions(args, ["port", ...names]);
    const { port = "0", delay = "0", fail, "page-size": pageSize } = values;
    const accessToken = parseToken("--access-token", values["access-token"]);
    const otherAccount = parseToken("--other-account", values["other-account"]);
    const keys = KEY_KINDS.find((kind) => kind === (values.keys ?? "new"));
    if (keys === undefined) throw new UsageError(`--keys must be one of: ${KEY_KINDS.join(", ")}`);
    const pageStyle = PAGE_STYLES.find((style) => style === (values["page-style"] ?? "link"));
    if (pageStyle === undefined)
      throw new UsageError(`--page-style must be one of: ${PAGE_STYLES.join(", ")}`);
    if (values["page-style"] !== undefined && pageSize === undefined)
      throw new UsageError("--page-style needs --page-size");
    const options = {
      port: parseNumber("--port", port, 0, 65_535),
      ...(accessToken !== undefined && { accessToken }),
      ...(otherAccount !== undefined && { otherAccounts: [otherAccount] }),
      keys,
      ...(pageSize !== undefined && { pageSize: parseNumber("--page-size", pageSize, 1, 1_000_000) }),
      pageStyle,
      delay: parseNumber("--delay", delay, 0, 600_000),
      onRequest: printRequest,
    };
    const refusal = fail === undefined ? null : refusalOf(parseNumber("--fail", fail, 400, 599));
    const hooks = refusal === null ? {} : { intercept: () => Promise.resolve(refusal) };
    const stopped = Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));
    const sandbox = await runSandbox(options, hooks).catch((error: unknown) => {
      throw new CommandError((error as Error).message);
    });
    process.stdout.write(announcement(sandbox, otherAccount));
    const stopReading = readChanges(sandbox, (reply) => process.stdout.write(`${reply}\n`));
    await stopped;
    stopReading();
    await sandbox.close();
    return 0;
  },
};

function refusalOf(status: number): Answer {
  return json(status, { error: `refused by --fail ${status}` });
}

function announcement({ url, accessToken, webhooks }: Sandbox, otherToken: string | undefined): string {
  const other =
    otherToken === undefined ? "" : `\nToken of the other account: ${quoteForShell(otherToken)}\n`;
  const lines = Array.from(webhooks, ([id, state]) => `  ${id}  ${state.padEnd(8)}  ${nameOf(id)}\n`);
  return `The sandbox is running. Copy this into the shell that runs Pulumi, or set the same in a stack, whose
configuration takes precedence:

export PARTNERS_BASE_URL=${url}
export PARTNERS_ACCESS_TOKEN=${quoteForShell(accessToken)}
${other}
Webhooks:
${lines.join("")}
To change a webhook behind Pulumi's back, type "disable 101", "activate 101", "remove 101" or "add 104" here.
Press Ctrl-C to stop it. Requests:
`;
}

/** Prints the request with the ID of a webhook, but without the key that the path of a deletion contains. */
function printRequest({ operation, method, path, status }: LoggedRequest): void {
  const below = path.slice(API_ROOT.length);
  const [pathname = below] = operation === "listWebhooks" ? [] : below.split("?", 1); // A list has pages.
  const known = operation === "deleteApiKey" ? OPERATIONS[operation].template : pathname;
  const shown = operation === null ? "(not a path of the Partner API)" : known;
  process.stdout.write(`${printable(`${method} ${shown}`)} ${status ?? "(no response)"}\n`);
}

function parseToken(option: string, token: string | undefined): string | undefined {
  if (token === undefined || isVisibleAscii(token)) return token;
  throw new UsageError(`${option} must be letters, digits and punctuation, without spaces`);
}

function parseNumber(option: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`${option} must be a whole number from ${min} to ${max}`);
}
