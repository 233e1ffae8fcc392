import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

import { API_ROOT, isVisibleAscii, OPERATIONS } from "../api/operations.js";
import { quoteForShell } from "../hosts/wording.js";
import { json, nameOf, type Answer } from "../sandbox/partner-account.js";
import { runSandbox, type LoggedRequest, type OperationCall, type Sandbox } from "../sandbox/sandbox.js";
import { CommandError, parseOptions, printable, UsageError, type Command } from "./command.js";
import { readChanges } from "./sandbox-changes.js";

const HELP = `Usage: pulumi-partners sandbox [options]

Starts a Partner API on 127.0.0.1 that keeps its data in memory. Prints the settings to use, and then one
line per request. To change a webhook behind Pulumi's back, type one of these into it:

  disable <id>    activate <id>    remove <id>    add <id>

Options:
  --port <number>          port to listen on (default: any free port)
  --access-token <token>   token to accept (default: a random token)
  --delay <ms>             milliseconds to wait before each response, at most 600000
  --fail <status>          refuse every request with this status, such as 401, 429 or 503
  -h, --help               show this text
`;

export const sandboxCommand: Command = {
  help: HELP,
  run: async (args) => {
    const values = parseOptions(args, ["port", "access-token", "delay", "fail"]);
    const { port = "0", "access-token": accessToken, delay = "0", fail } = values;
    if (accessToken !== undefined && !isVisibleAscii(accessToken))
      throw new UsageError("--access-token must be visible ASCII characters without spaces");
    const options = {
      port: parseNumber("--port", port, 0, 65_535),
      ...(accessToken !== undefined && { accessToken }),
      onRequest: printRequest,
    };
    const wait = parseNumber("--delay", delay, 0, 600_000);
    const status = fail === undefined ? null : parseNumber("--fail", fail, 400, 599);
    const intercept = async (call: OperationCall): Promise<Answer> => {
      const answer =
        status === null ? call.perform() : json(status, { error: `refused by --fail ${status}` });
      await sleep(wait, null, { ref: false });
      return answer;
    };
    const stopped = Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));
    const sandbox = await runSandbox(options, { intercept }).catch((error: unknown) => {
      throw new CommandError((error as Error).message);
    });
    process.stdout.write(announcement(sandbox));
    const stopReading = readChanges(sandbox, (reply) => process.stdout.write(`${reply}\n`));
    await stopped;
    stopReading();
    await sandbox.close();
    return 0;
  },
};

function announcement({ url, accessToken, webhooks }: Sandbox): string {
  const lines = Array.from(webhooks, ([id, state]) => `  ${id}  ${state.padEnd(8)}  ${nameOf(id)}\n`);
  return `The sandbox is running. Copy this into the shell that runs Pulumi:

export PARTNERS_BASE_URL=${url}
export PARTNERS_ACCESS_TOKEN=${quoteForShell(accessToken)}

Webhooks:
${lines.join("")}
To change a webhook behind Pulumi's back, type "disable 101", "activate 101", "remove 101" or "add 104" here.
Press Ctrl-C to stop it. Requests:
`;
}

/** Prints the request with the ID of a webhook, but without the key that the path of a deletion contains. */
function printRequest({ operation, method, path, status }: LoggedRequest): void {
  const [pathname = ""] = path.slice(API_ROOT.length).split("?", 1);
  const known = operation === "deleteApiKey" ? OPERATIONS[operation].template : pathname;
  const shown = operation === null ? "(not a path of the Partner API)" : known;
  process.stdout.write(`${printable(`${method} ${shown}`)} ${status ?? "(no response)"}\n`);
}

function parseNumber(option: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`${option} must be a whole number from ${min} to ${max}`);
}
