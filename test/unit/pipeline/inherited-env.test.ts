import { afterEach, expect, it, vi } from "vitest";

import { inheritedEnv } from "../../support/inherited-env.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

it("what a pipeline says about itself is not inherited, as Pulumi's and the provider's settings are not", () => {
  const inherited = ["PATH", "CITY", "HOME_OF_CI_"];
  const own = ["CI", "CI_API_V4_URL", "GITHUB_ACTIONS", "GITHUB_TOKEN", "GITLAB_CI", "RUNNER_TEMP"];
  for (const name of [...inherited, ...own, "PULUMI_STACK", "PARTNERS_BASE_URL"]) vi.stubEnv(name, "x");
  const names = Object.keys(inheritedEnv());
  expect(names).toEqual(expect.arrayContaining(inherited));
  expect(names.filter((name) => /^(CI|GITHUB|GITLAB|RUNNER|PULUMI|PARTNERS)(_|$)/.test(name))).toEqual([]);
});
