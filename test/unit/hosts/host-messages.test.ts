import * as grpc from "@grpc/grpc-js";
import { expect, it, onTestFinished, vi } from "vitest";

import { PartnerError, type ErrorFacts } from "../../../provider/src/partner-api/errors.js";
import * as messages from "../../../provider/src/hosts/host-messages.js";
import { PARTNER_API_KEY } from "../../../provider/src/registration.js";
import { EngineLog } from "../../../provider/src/hosts/engine-log.js";
import { PluginHost, type CallFailure } from "../../../provider/src/hosts/plugin-host.js";
import { PartialFailure } from "../../../provider/src/adapter/resumable-changes.js";
import { warning } from "../../../provider/src/account/notice.js";
import { sandboxFor } from "../../support/sandbox.ts";

const [ORDERS, REFUNDS] = ["orders", "refunds"].map((name) => `urn:pulumi:dev::a::partners:index:X::${name}`);
const SUMMARY = "POST https://partners.example.com/api/v1/partners/api-key: the server returned 401";
const TEXT = `${SUMMARY}. Check the token.`;
const LAST_UP =
  'If you have changed the settings since the last "pulumi up", add --run-program to a refresh or destroy. If ' +
  "you have removed the resource from the program, put it back (and its Provider, if it has one), run " +
  '"pulumi up", and remove it again.';

it("all messages of hosts are those of host-messages.txt", async () => {
  const { nativeToken } = PARTNER_API_KEY;
  const rejected = refused({}, `${SUMMARY}. The access token was rejected: check partners:accessToken.`);
  const all = [
    messages.errorText(rejected, false),
    messages.errorText(rejected, true),
    messages.repeatedText(rejected, "orders"),
    messages.repeatedText(rejected, ""),
    messages.unexpectedText(new TypeError()),
    messages.unknownToken("partners:index:Other", [nativeToken]).message,
    messages.cannotList(nativeToken).message,
    messages.cannotList("partners:index:PartnerWebhookStates").message,
    messages.NOT_A_COMMAND.trim(),
  ].map((text) => text.replace(/ at [a-z-]+\.test\.ts:\d+/, " at key-reader.js:12"));
  await expect(`${all.join("\n")}\n`).toMatchFileSnapshot("host-messages.txt");
});

function refused(facts: ErrorFacts = {}, text = TEXT): PartnerError {
  return new PartnerError("PARTNERS_STATUS", text, { summary: SUMMARY, status: 401, ...facts });
}

/** The messages of one plugin process, without an engine. @param stored A setting of the stack. */
function hostAlone(stored = "partners:requestTimeout", hasCurrentSettings = true): PluginHost {
  const host = new PluginHost(undefined, grpc);
  host.session.configure({ get: (key) => (key === stored ? "60" : undefined) });
  host.hasCurrentSettings = hasCurrentSettings;
  return host;
}

/** Returns the message of a call that fails. */
async function messageOf(host: PluginHost, error: Error, urn = "") {
  try {
    return await host.handleCall({ id: "", urn }, () => Promise.reject(error));
  } catch (failure) {
    return (failure as CallFailure).message;
  }
}

it("only the first of many resources with the same error shows it in full; the others name the first", async () => {
  const host = hostAlone();
  const full = `${TEXT} [PARTNERS_STATUS]`; // Also if a retry hook repeats the call.
  const short = (name: string) =>
    `${SUMMARY} (the same error as for ${name}, which says what to do). [PARTNERS_STATUS]`;
  const texts = await Promise.all(
    [ORDERS, ORDERS, REFUNDS, ""].map((urn) => messageOf(host, refused(), urn)),
  );
  expect(texts).toEqual([full, full, short('"orders"'), short('"orders"')]);
  const unnamed = hostAlone(); // As when the dynamic host deletes.
  expect(await messageOf(unnamed, refused())).toBe(full);
  expect(await messageOf(unnamed, refused())).toBe(short("another resource"));
});

it("no text that leaves the process contains a secret that it knows", async () => {
  const shown = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => {
    shown.mockRestore();
  });
  const host = hostAlone();
  const key = "AbCdEfGhIjKlMnOpQrStUvWxYz";
  host.session.secrets.addKey(key);
  const error = refused({}, `${TEXT} The account has ${key}.`);
  for (const each of [error, new PartialFailure("id", {}, error)])
    expect(await messageOf(host, each)).toBe(`${TEXT} The account has ***. [PARTNERS_STATUS]`);
  await host.handleCall({ id: "", urn: "" }, () => {
    host.session.notify(warning(`The service returned ${key}.`));
    return Promise.resolve();
  });
  expect(JSON.stringify(shown.mock.calls)).toContain("The service returned ***.");
  expect(JSON.stringify(shown.mock.calls)).not.toContain(key);
});

it("no problem of a check contains a secret that the process knows", async () => {
  const host = hostAlone();
  host.session.secrets.addKey("AbCdEfGhIjKlMnOpQrStUvWxYz");
  const problem = "rotation has no argument AbCdEfGhIjKlMnOpQrStUvWxYz.";
  const { partnerApiKey } = host.handlers;
  vi.spyOn(partnerApiKey, "check").mockResolvedValue({ inputs: {}, problems: [problem] });
  const { problems } = await host.check(partnerApiKey, {}, {});
  expect(problems).toEqual(["rotation has no argument ***."]);
});

it("neither a status nor a line of the log contains a secret that the process knows", async () => {
  const [status, log] = (["showStatus", "show"] as const).map((name) =>
    vi.spyOn(EngineLog.prototype, name).mockReturnValue(undefined),
  );
  vi.stubEnv("PARTNERS_DEBUG", "1");
  onTestFinished(() => void vi.restoreAllMocks().unstubAllEnvs());
  const { session } = hostAlone();
  const { url: baseUrl, accessToken } = await sandboxFor();
  // An account named like a key.
  const settings = { baseUrl, accessToken, account: "AbCdEfGhIjKlMnOpQrStUvWxYz", explicit: "true" };
  session.configure({ get: (key) => new Map(Object.entries(settings)).get(key.replace("partners:", "")) });
  session.secrets.addKey(settings.account);
  session.showStatus(`Retrying ${settings.account}`);
  expect(status?.mock.calls).toEqual([["Retrying ***", ""]]);
  const client = await session.open();
  onTestFinished(() => client.close());
  await client.listWebhooks();
  expect(log?.mock.calls).toEqual([["INFO", expect.stringMatching(/ account="\*\*\*"$/), ""]]);
});

it.each<[what: string, second: Error, wasRefresh: boolean]>([
  ["if something may have changed", refused({ mayHaveChanged: true }), false],
  ["if it has no summary", refused({ summary: null }), false],
  ["in a partial failure, which the engine stores", new PartialFailure("id", {}, refused()), false],
  ["after a refresh, which says more", refused(), true],
])("another resource with the same error shows it in full as well %s", async (_what, second, wasRefresh) => {
  const host = hostAlone(undefined, !wasRefresh);
  await messageOf(host, refused(), ORDERS);
  host.hasCurrentSettings = true;
  expect(await messageOf(host, second, REFUNDS)).toContain(TEXT);
});

it.each<[what: string, error: PartnerError, isTold: boolean]>([
  ["about settings", new PartnerError("PARTNERS_CONFIGURATION", "Set it."), true],
  ["without a response", new PartnerError("PARTNERS_CONNECTION", "No."), true],
  ["about the address of a resource", new PartnerError("PARTNERS_RESOURCE", "No."), true],
  ["with a redirect", refused({ status: 302 }), true],
  ["with a 401", refused({ status: 401 }), true],
  ["with a 403", refused({ status: 403 }), true],
  ["with a 404", refused({ status: 404 }), true],
  ["with a 410", refused({ status: 410 }), true],
  ["with a 409", refused({ status: 409 }), false],
  ["after an interruption", new PartnerError("PARTNERS_INTERRUPTED", "Stopped."), false],
])("with the settings of the last up, an error %s names --run-program: %s", (_what, error, isTold) => {
  const text = hostAlone(undefined, false).describeError(error);
  expect(text.endsWith(`[${error.code}]`)).toBe(true);
  expect(text.includes(LAST_UP)).toBe(isTold);
  expect(hostAlone().describeError(error)).not.toContain("--run-program");
  expect(hostAlone("none", false).describeError(error).includes(LAST_UP), "nothing is set").toBe(isTold);
  vi.stubEnv("PARTNERS_BASE_URL", "https://partners.example.com").stubEnv("PARTNERS_ACCESS_TOKEN", "t0ken");
  onTestFinished(() => void vi.unstubAllEnvs());
  const fromEnvironment = hostAlone("none", false).describeError(error); // It always has its current values.
  expect(fromEnvironment).not.toContain("--run-program");
});

it("an error contains no lone surrogate, which gRPC cannot encode", () => {
  const text = hostAlone().describeError(new PartnerError("PARTNERS_STATUS", "No \ud83d."));
  expect(text).toBe("No \ufffd. [PARTNERS_STATUS]");
});

it("an unexpected error becomes one line without its message, which may hold anything", () => {
  const error = new TypeError("s3cret is not a function");
  error.stack =
    "TypeError: s3cret\n    at f (/home/s3cret/dist/keys/key-reader.js:12:3)\n    at g (a.js:1:1)";
  const line = /^An unexpected TypeError in pulumi-partners at key-reader\.js:12\. [^\n]*\[PARTNERS_BUG\]$/;
  expect(hostAlone().describeError(error)).toMatch(line);
  expect(hostAlone().describeError("s3cret")).toMatch(/^An unexpected string in pulumi-partners\. /);
  for (const text of [error, "s3cret"]) expect(hostAlone().describeError(text)).not.toContain("s3cret");
});

it("a message is shown once for each resource", async () => {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const host = hostAlone();
  const names = ["a", "a", "b"].map((id) => ({ id, urn: "" })); // Without a URN, the ID tells them apart.
  for (const name of [{ id: "a", urn: ORDERS ?? "" }, ...names])
    await host.handleCall(name, async () => {
      await Promise.resolve();
      host.session.notify(warning("Unknown."));
    });
  expect(write.mock.calls).toEqual(Array(3).fill(["pulumi-partners: Unknown.\n"]));
  write.mockRestore();
});
