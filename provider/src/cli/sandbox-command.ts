import { once } from "node:events";

import { quoteForShell, textForShell } from "../setting-messages.js";
import { API_ROOT, isVisibleAscii } from "../partner-api/operations.js";
import { webhookName, startSandbox, type Sandbox, type SandboxRequest } from "../sandbox/sandbox.js";

const HELP = `Usage: pulumi-partners sandbox [options]

Starts a Partner API on this machine that keeps its data in memory. Prints the settings to use, and then
one line for each request.

Options:
  --port <number>         port to listen on (default: any free port)
  --access-token <token>  token to accept (default: a random token)
  -h, --help              show this text
`;

/** `pulumi-partners sandbox`: runs a sandbox until it gets a signal. */
export const sandboxCommand = {
  help: HELP,
  options: ["port", "access-token"],
  run: async (values: { port?: string; "access-token"?: string }): Promise<number> => {
    const { port = "0", "access-token": accessToken } = values;
    if (accessToken !== undefined && !isVisibleAscii(accessToken))
      throw new Error("--access-token must be letters, digits and punctuation, without spaces.");
    const stopped = Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));
    const sandbox = await startSandbox({
      port: portNumber(port),
      ...(accessToken !== undefined && { accessToken }),
      onRequest: printRequest,
    });
    process.stdout.write(announcement(sandbox, process.platform));
    await stopped;
    await sandbox.close();
    return 0;
  },
};

/** Returns what to paste into the shell of the platform, and what there is to change. */
export function announcement(
  { url, accessToken, webhooks }: Pick<Sandbox, "url" | "accessToken" | "webhooks">,
  platform: NodeJS.Platform,
): string {
  const isWindows = platform === "win32";
  const set = (name: string, value: string): string =>
    isWindows
      ? `$env:${name} = ${textForShell(value, platform)}`
      : `export ${name}=${quoteForShell(value, platform)}`;
  const header = textForShell(`Authorization: Bearer ${accessToken}`, platform);
  const curl = isWindows ? "curl.exe" : "curl"; // In Windows PowerShell, curl is another command.
  const lines = Array.from(webhooks, ([id, state]) => `  ${id}  ${state.padEnd(8)}  ${webhookName(id)}\n`);
  return `The sandbox is running. Copy this into the shell that runs Pulumi:

${set("PARTNERS_BASE_URL", url)}
${set("PARTNERS_ACCESS_TOKEN", accessToken)}

Webhooks:
${lines.join("")}
To change a webhook behind Pulumi's back, run a command such as this one:

${curl} -X PATCH -H ${header} ${url}${API_ROOT}/webhooks/101/disable

Press Ctrl-C to stop it. Requests:
`;
}

/** Prints a request, without the key that the path of a deletion contains. */
function printRequest({ method, path, status }: SandboxRequest): void {
  const shown = path.replace(API_ROOT, "").replace(/(\/api-key\/).*/, "$1{api_key}");
  process.stdout.write(`${method} ${shown} ${status}\n`);
}

function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Error("--port must be a whole number from 0 to 65535.");
}
