import { delimiter } from "node:path";
import { expect, it, vi } from "vitest";

import { downloadCli } from "../../../provider/tools/engine/download-cli.ts";
import { OLDEST_CLI, providePulumi, type CliSources } from "../../../provider/tools/engine/pulumi-cli.ts";

const FAILS = (): never => {
  throw new Error("unreachable");
};

/** Provides a CLI from these sources. @returns The sources that were used, and the PATH afterwards. */
async function provided(given: {
  version?: string;
  download?: boolean;
  build?: boolean;
  built?: boolean;
  must?: true;
}) {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const used: string[] = [];
  const from = (name: string, works: boolean) => (): Promise<string> => {
    used.push(name);
    return works ? Promise.resolve(`/${name}`) : Promise.reject(new Error(name));
  };
  const sources: CliSources = {
    printVersion: async () => Promise.resolve(given.version ?? FAILS()),
    isBuilt: () => given.built ?? false,
    download: from("download", given.download ?? false),
    build: from("build", given.build ?? false),
  };
  const env = { PATH: "/bin", ...(given.must && { PARTNERS_TEST_CLI: "build" }) };
  const error = await providePulumi([], env, sources).catch((error: unknown) => (error as Error).message);
  vi.restoreAllMocks();
  return { used, first: env.PATH.split(delimiter)[0], error };
}

const HELP = `Install Pulumi ${OLDEST_CLI} or newer and put it on PATH, or install Go.`;

it.each<[what: string, given: Parameters<typeof provided>[0], used: string[], first: string, error?: string]>(
  [
    ["the one on PATH", { version: `v${OLDEST_CLI}` }, [], "/bin"],
    ["a newer one", { version: "v3.1000.0-alpha" }, [], "/bin"],
    ["a downloaded one", { download: true, build: true }, ["download"], "/download"],
    ["not one that is too old", { version: "v3.258.9", download: true }, ["download"], "/download"],
    ["without a network, one that Go builds", { build: true }, ["download", "build"], "/build"],
    ["one that was built here before", { built: true, download: true, build: true }, ["build"], "/build"],
    [
      "with PARTNERS_TEST_CLI=build, never another",
      { version: "v4.0.0", build: true, must: true },
      ["build"],
      "/build",
    ],
    ["none", {}, ["download", "build"], "/bin", HELP],
  ],
)("the Pulumi CLI of the tools is %s", async (_what, given, used, first, error) => {
  expect(await provided(given)).toEqual({ used, first, error });
});

/** Downloads a CLI from a site that answers so. @returns What was installed. */
async function download(site: typeof fetch, isThere = false): Promise<unknown[]> {
  const get = () => (isThere ? Promise.resolve({}) : Promise.reject(new Error("none")));
  const install = vi.fn(() => Promise.resolve({}));
  await downloadCli("/folder", site, { get, install }, 50);
  return install.mock.calls;
}

it("a download waits neither for a site that refuses nor for one that does not answer", async () => {
  expect(await download(() => Promise.resolve(new Response("#!/bin/sh")))).toEqual([[{ root: "/folder" }]]);
  expect(await download(FAILS, true), "a folder that has a CLI needs no network").toEqual([]);
  await expect(download(() => Promise.resolve(new Response("", { status: 403 })))).rejects.toThrow("403");
  await expect(download(() => Promise.reject(new Error("ENOTFOUND")))).rejects.toThrow("ENOTFOUND");
  const silent: typeof fetch = (_url, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => {
        reject(new Error("the time is over"));
      });
    });
  await expect(download(silent)).rejects.toThrow("the time is over");
});
