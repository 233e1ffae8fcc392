import { expect, it } from "vitest";

import { environmentFor, exampleProject, sandboxFor } from "./support.ts";

it("the doctor reads the state and the settings of each Provider, and says how to see why it cannot", async () => {
  const [sandbox, eu] = [await sandboxFor(), await sandboxFor()];
  const { pulumi, shell } = await exampleProject("accounts", environmentFor(sandbox));
  await pulumi("stack", "init", "dev");
  const configure = `pulumi config set euBaseUrl ${eu.url} && pulumi config set --secret euAccessToken -- ${eu.accessToken}`;
  expect(await shell(configure)).toMatchObject({ code: 0 });
  await pulumi("up", "--yes", "--skip-preview");
  for (const one of [sandbox, eu]) one.clearRequests();

  const { code, stdout } = await shell("npx pulumi-partners doctor");
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.not.stringContaining(eu.accessToken) as string,
  });
  expect(stdout).toMatch(
    /\n\nProvider eu, account eu\nok {7}service .*\n(.*\n)+ +101 +disabled +orders-eu\n/,
  );
  for (const { requests } of [sandbox, eu]) expect(requests).toMatchObject([{ method: "GET" }]);

  // A preview names the reason, and the doctor refers to it.
  const wrong = "export PULUMI_CONFIG_PASSPHRASE=wrong";
  const { stderr } = await shell(`${wrong}; npx pulumi-partners doctor`);
  const [, command = ""] = /The stack cannot be read\. To see why, run "(.*)"\.\n$/.exec(stderr) ?? [];
  expect((await shell(`${wrong}; ${command}`)).stderr).toContain("incorrect passphrase");
});
