import { createRequire } from "node:module";
import { join } from "node:path";
import { compileFunction } from "node:vm";

import { PARTNER_API_KEY, PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOKS } from "../../resources/registration.js";
import { VERSION } from "../../version.js";
import { failed, ok, skipped, warning, type Check } from "./report.js";
import { manifestAt } from "./versions.js";

const REGISTRATIONS = [PARTNER_API_KEY, PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOKS];
/** What the engine calls. */
const HANDLERS = ["configure", "check", "diff", "create", "read", "update", "delete"];

/**
 * Whether the plugin can be loaded from a folder, in the way in which the SDK's dynamic-provider host does it: by evaluating
 * the strings that stand in the state, with a `require` that starts in the folder of the program.
 *
 * @param inProject Whether somebody expects it there.
 */
export function checkPlugin(folder: string, inProject: boolean): Check {
  const require = createRequire(join(folder, "program.js"));
  let path: string;
  try {
    path = require.resolve("pulumi-partners/plugin");
  } catch {
    const detail = "pulumi-partners cannot be loaded from the folder of the program.";
    return inProject ? failed("plugin", detail, "npm install pulumi-partners") : skipped("plugin", detail);
  }
  try {
    for (const { __provider } of REGISTRATIONS) assertHandlers(load(__provider, require));
  } catch {
    const detail = "pulumi-partners is there, but its plugin does not load: the installation is damaged.";
    return failed("plugin", detail, "Remove node_modules and install again.");
  }
  const { version } = manifestAt(join(path, "../../../package.json"));
  if (version === VERSION) return ok("plugin", `pulumi-partners ${version} can be loaded from here.`);
  return warning(
    "plugin",
    `The program loads another version of pulumi-partners than this one, which is ${VERSION}.`,
    "Run the command where the program is, with npx.",
  );
}

function load(code: string, require: NodeJS.Require): unknown {
  const exports: { handler?: () => unknown } = {};
  const evaluate = compileFunction(code, ["require", "exports"]) as (...args: unknown[]) => void;
  evaluate(require, exports);
  return exports.handler?.();
}

function assertHandlers(provider: unknown): void {
  const handlers = provider as Readonly<Record<string, unknown>>;
  if (!HANDLERS.every((name) => typeof handlers[name] === "function"))
    throw new Error("a handler is missing");
}
