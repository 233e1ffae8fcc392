import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createTestStack } from "../support/stack.ts";

/** The measured operations, in the order in which they run. */
export const OPERATIONS = ["up", "unchanged up", "preview", "refresh", "destroy"] as const;

/** One of {@link OPERATIONS}. */
export type Operation = (typeof OPERATIONS)[number];

/** A way to manage the state of webhooks. */
export interface Contender {
  readonly name: string;
  /** One line for the page. */
  readonly description: string;
  /** Creates a project that declares active webhooks with the IDs from 1 to `count`. Applies nothing. */
  declare(count: number, service: Service): Promise<Project>;
}

interface Service {
  readonly url: string;
  readonly accessToken: string;
}

/** A project of a contender. */
export interface Project {
  /** Returns the wall time of the command in milliseconds. @throws if the operation fails. */
  run(operation: Operation): Promise<number>;
  dispose(): Promise<void>;
}

/** Milliseconds for one operation. */
const TIMEOUT = 600_000;

/** Each has a program: the function of the same name in programs.cjs. */
const CONTENDERS = {
  native: "the native plugin of `pulumi-partners`",
  dynamic: "the dynamic resources of `pulumi-partners`",
  fleet: "one `PartnerWebhookStates` for all webhooks",
  floor: "a `dynamic.Resource` whose handlers do nothing",
  tutorial: "a hand-written `dynamic.Resource` that reads each webhook with its own `GET`",
};

/** The contenders, ours first. @param plugin The folder of the native plugin's executable. */
export function contendersWith(plugin: string): Contender[] {
  return Object.entries(CONTENDERS).map(([name, description]) => ({
    name,
    description,
    declare: (count, service) => pulumiProject(name, plugin, count, service),
  }));
}

async function pulumiProject(
  name: string,
  plugin: string,
  count: number,
  { url, accessToken }: Service,
): Promise<Project> {
  const plugins = { providers: [{ name: "partners", path: plugin }] };
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const stack = await createTestStack({
    files: {
      "Pulumi.yaml": `name: test\nruntime: nodejs\nplugins: ${JSON.stringify(plugins)}\n`,
      "package.json": "{}",
      "index.js": `require("./programs.cjs").${name}(${JSON.stringify(ids)});\n`,
      "programs.cjs": await readFile(join(import.meta.dirname, "programs.cjs"), "utf8"),
    },
    env: {
      PARTNERS_BASE_URL: url,
      PARTNERS_ACCESS_TOKEN: accessToken,
      NODE_COMPILE_CACHE: "", // The tests cache compiled code, but users do not.
    },
  });
  const run = async (operation: Operation): Promise<number> => {
    const result = await stack[operation === "unchanged up" ? "up" : operation]({ timeoutMs: TIMEOUT });
    if (!result.ok) throw new Error(`${name}, ${operation}: ${result.error}`);
    return result.ms;
  };
  return { run, dispose: () => stack.dispose() };
}
