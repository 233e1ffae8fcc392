import { join } from "node:path";
import { cacheRoot } from "./pulumi-cli/cache.ts";

/** Variables that would configure Pulumi or the provider, and what a pipeline says about itself: that would be ours, not the test's. */
const NOT_FOR_OTHERS = /^(PULUMI|PARTNERS|CI|GITHUB|GITLAB|RUNNER|ACTIONS)_|^(CI|GITLAB)$/;

/** This process's environment for others, so that they find a machine on which nothing is set up. */
export function inheritedEnv(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !NOT_FOR_OTHERS.test(name));
  return {
    // Every operation starts several Node processes that load the SDK: 0.6 s each, 0.4 s with the code compiled before.
    NODE_COMPILE_CACHE: join(cacheRoot(), "node"),
    ...(Object.fromEntries(kept) as Record<string, string>),
  };
}
