import { join } from "node:path";
import { cacheRoot } from "./pulumi-cli/cache.ts";

/** This process's environment for others, without the variables that would configure Pulumi or the provider. */
export function inheritedEnv(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PULUMI|PARTNERS)_/.test(name));
  return {
    // Every operation starts several Node processes that load the SDK: 0.6 s each, 0.4 s with the code compiled before.
    NODE_COMPILE_CACHE: join(cacheRoot(), "node"),
    ...(Object.fromEntries(kept) as Record<string, string>),
  };
}
