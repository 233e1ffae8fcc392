import { expect, it } from "vitest";

import { environmentFor, exampleProject, sandboxFor } from "./support.ts";

it("the doctor checks the account of each Provider, and reports the same passphrase problem as a preview", async () => {
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
    /\n\nProvider eu, account eu\nok {7}settings .*\n(.*\n)+ +101 +disabled +orders-eu\n/,
  );
  for (const { requests } of [sandbox, eu]) expect(requests).toMatchObject([{ method: "GET" }]);

  for (const [change, reason] of [
    ["export PULUMI_CONFIG_PASSPHRASE=wrong", "incorrect passphrase"],
    ["unset PULUMI_CONFIG_PASSPHRASE", "passphrase must be set"],
  ]) {
    expect((await shell(`${change}; pulumi preview --non-interactive`)).stderr).toContain(reason);
    const { stdout } = await shell(`${change}; npx pulumi-partners doctor`);
    expect(stdout).toMatch(
      /^failed +stack +The passphrase is missing or wrong: set PULUMI_CONFIG_PASSPHRASE/m,
    );
  }
});
