import { createRequire } from "node:module";
import { join } from "node:path";

import { inheritedEnv } from "../../support/process.ts";
import { runProcess } from "../../support/process.ts";
import { median } from "../statistics.ts";

/** A step in the life of a plugin process, in milliseconds, in a fresh process each time. */
export interface StartRow {
  readonly part: string;
  readonly ms: number;
  /** CommonJS modules that it loads. */
  readonly modules: number;
}

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** Parts in the order in which a plugin comes by them; each is timed after those before it. */
const PARTS = [
  ["the SDK's host", "@pulumi/pulumi/cmd/dynamic-provider/config", "@grpc/grpc-js", "@pulumi/pulumi/runtime"],
  ["our handlers", "pulumi-partners/plugin"],
  ["our client, with undici (at the first request)", "./provider/dist/api/client.js"],
] as const;

/** Where the start of a plugin goes. */
export async function measureStart(repetitions: number, say: (line: string) => void): Promise<StartRow[]> {
  const runs: { ms: number; modules: number }[][] = [];
  for (let round = 0; round < repetitions; round += 1) runs.push(await timeParts());
  return PARTS.map(([part], index) => {
    const times = runs.map((run) => run[index]?.ms ?? NaN);
    const row = { part, ms: median(times), modules: runs[0]?.[index]?.modules ?? NaN };
    say(`load ${part}: ${row.ms.toFixed(1)} ms, ${row.modules} modules`);
    return row;
  });
}

async function timeParts(): Promise<{ ms: number; modules: number }[]> {
  const requests = PARTS.map(([, ...modules]) => modules);
  const script = `
    const { createRequire } = require("node:module");
    const load = createRequire(${JSON.stringify(join(ROOT, "index.js"))});
    const found = ${JSON.stringify(requests)}.map((modules) => {
      const [began, before] = [performance.now(), Object.keys(load.cache).length];
      for (const module of modules) load(module);
      return { ms: performance.now() - began, modules: Object.keys(load.cache).length - before };
    });
    console.log(JSON.stringify(found));
    process.exit();`;
  const { stdout } = await runProcess(process.execPath, ["-e", script], { cwd: ROOT, env: inheritedEnv() });
  return JSON.parse(stdout) as { ms: number; modules: number }[];
}

/** The versions of what was measured with. */
export function versions(): Record<string, string> {
  const require = createRequire(join(ROOT, "index.js"));
  const version = (name: string): string => (require(`${name}/package.json`) as { version: string }).version;
  return { node: process.version, "@pulumi/pulumi": version("@pulumi/pulumi"), undici: version("undici") };
}
