import { describe, expect, it, vi } from "vitest";

import { PartnerError } from "../../../provider/src/partner-api/errors.js";
import { AccountSession } from "../../../provider/src/account/account-session.js";
import { PartialFailure } from "../../../provider/src/adapter/resumable-changes.js";
import { UNKNOWN } from "../../../provider/src/adapter/properties.js";
import { ResourceAdapter } from "../../../provider/src/adapter/resource-adapter.js";
import { information, warning, type Notice } from "../../../provider/src/account/notice.js";
import type { Applied, Resource } from "../../../provider/src/adapter/resource.js";
import type { Registration } from "../../../provider/src/registration.js";

/** A resource that counts up to what its program wants. */
interface State {
  readonly count: unknown;
}

const URL = "https://partners.example.com";
const OTHER = "https://other.example.com";
const URN = "urn:pulumi:dev::shop::partners:index:Counter::one";
const NAME = { id: "counter-1", urn: URN };
const COMMON = { account: "default", server: URL };

const REGISTRATION: Registration = {
  ...{ type: "pulumi-nodejs:dynamic/partners:Counter", nativeToken: "partners:index:Counter" },
  ...{ __provider: "", exportName: "counter", inputs: ["count"], outputs: ["count"] },
};

/** Starts a plugin process with the handlers of one resource. */
function start(settings: Readonly<Record<string, string>> = {}) {
  const notices: Notice[] = [];
  const session = new AccountSession({ env: {}, notify: (notice) => void notices.push(notice) });
  const all: Readonly<Record<string, string>> = { baseUrl: URL, accessToken: "t0ken", ...settings };
  session.configure({ get: (key) => all[key.replace("partners:", "")] });
  let ids = 0;
  const resource = {
    registration: REGISTRATION,
    readArguments: (args) => ({
      inputs: { count: args["count"] ?? 1 },
      problems: typeof args["count"] === "string" ? ["count must be a number."] : [],
    }),
    inputsOf: ({ count }) => ({ count }),
    stateOf: ({ count }) => ({ count }),
    outputsOf: ({ count }) => ({ count }),
    check: vi.fn(() => Promise.resolve()),
    plan: (olds, news) => {
      const notices = [information("this update counts")];
      const changes = olds.count !== news.count;
      return { changes, replaces: changes ? ["count"] : [], notices: changes ? notices : [] };
    },
    preview: (_olds, { count }) => ({ count }),
    newId: () => `counter-${++ids}`,
    apply: vi.fn((_olds: State | null, news: State): Promise<Applied<State>> => {
      return Promise.resolve({ state: news, failure: null });
    }),
    read: vi.fn((olds: State) => Promise.resolve({ state: olds, inputs: null })),
    remove: vi.fn(() => Promise.resolve()),
    adopt: vi.fn(),
  } satisfies Resource<State, State>;
  const typed: Resource<State, State> = resource;
  return { adapter: new ResourceAdapter(session, typed), resource, session, notices };
}

/** Returns what a promise rejects with. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([promise]);
  return outcome.status === "rejected" ? outcome.reason : null;
}

const refused = (text: string): PartnerError => new PartnerError("PARTNERS_STATUS", text);

it("a check fills in defaults, and stamps the account and its address", async () => {
  const { adapter } = start();
  const checked = { inputs: { count: 1, ...COMMON }, problems: [] };
  expect(await adapter.check({}, {}, URN)).toEqual(checked);
  expect(await adapter.check({}, { account: "default", server: URL, __urn: URN }, URN)).toEqual(checked);
});

it("a check refuses another account or address than that of the settings, and does not repeat it", async () => {
  const { adapter, resource } = start();
  const { problems } = await adapter.check({}, { account: "eu", server: OTHER }, URN);
  expect(problems).toEqual([
    'account is not an argument. The option "provider" chooses the account, here "default".',
    `server is not an argument. The option "provider" chooses the address, here "${URL}".`,
  ]);
  expect(resource.check).not.toHaveBeenCalled();
  expect((await adapter.check({}, { account: UNKNOWN, server: null }, URN)).problems).toEqual([]);
});

it("a check asks the service about valid arguments, with the old inputs or none", async () => {
  const { adapter, resource } = start();
  const { problems } = await adapter.check({}, { count: "two", step: 1, next_step: 1 }, URN);
  const unknown = 'Counter has no argument "step", "next_step"; valid arguments: count.';
  expect(problems).toEqual([unknown, "count must be a number."]);
  expect(resource.check).not.toHaveBeenCalled();
  await adapter.check({}, { count: 2 }, URN);
  await adapter.check({ count: 1, ...COMMON }, { count: 2 }, "");
  expect(resource.check).toHaveBeenNthCalledWith(1, null, { count: 2 }, URN);
  expect(resource.check).toHaveBeenNthCalledWith(2, { count: 1 }, { count: 2 }, "");
});

it.each(["pk_live_4eC39Hq", "a".repeat(41), "two words"])(
  "an unknown argument is not named if it could be data: %s",
  async (name) => {
    const { problems } = await start().adapter.check({}, { [name]: 1 }, URN);
    expect(problems).toEqual(["Counter has an unknown argument; valid arguments: count."]);
  },
);

it("a check fails if the service refuses, and with invalid settings, even if nothing changes", async () => {
  const { adapter: refusing, resource } = start();
  resource.check.mockRejectedValueOnce(refused("no"));
  expect(await failureOf(refusing.check({}, {}, URN))).toEqual(refused("no"));
  const { adapter } = start({ requestTimeout: "0" });
  const unchanged = adapter.check({ count: 1, ...COMMON }, { count: 1 }, URN);
  expect(await failureOf(unchanged)).toMatchObject({ code: "PARTNERS_CONFIGURATION" });
});

describe("what a policy changes after the check", () => {
  const text =
    'Counter has no argument "step"; valid arguments: count. count must be a number. ' +
    "If the program is right, a policy has changed its arguments. Nothing was sent.";
  const wrong = { count: "two", step: 1, ...COMMON };

  it("is an error if it is wrong, in a preview and in a change, and the diff shows nothing else", async () => {
    const { adapter, resource, notices } = start();
    const error = expect.objectContaining({ code: "PARTNERS_RESOURCE", message: text }) as unknown;
    for (const olds of [null, { count: 1, ...COMMON }])
      expect(() => adapter.preview(olds, wrong)).toThrow(text);
    expect(await failureOf(adapter.create(wrong, URN))).toEqual(error);
    expect(await failureOf(adapter.update({ count: 1, ...COMMON }, wrong, NAME))).toEqual(error);
    const changes = { changes: true, replaces: [] };
    expect(adapter.diff({ count: 1, ...COMMON }, wrong, NAME)).toEqual(changes);
    expect(notices).toEqual([]);
    expect(resource.apply).not.toHaveBeenCalled();
  });

  it("counts if it is right, but may not be another account", async () => {
    const { adapter } = start();
    const { outputs } = await adapter.create({ count: 1 }, URN);
    expect(outputs).toEqual({ count: 1, ...COMMON });
    expect(await adapter.update(outputs, { count: 2 }, NAME)).toEqual({ count: 2, ...COMMON });
    const failure = await failureOf(adapter.update(outputs, { count: 2, account: "other" }, NAME));
    expect(failure).toMatchObject({
      message: expect.stringContaining("account is not an argument") as string,
    });
  });
});

const olds = { count: 1, ...COMMON };
const texts = {
  baseUrl:
    `The resource belongs to ${URL}, not to ${OTHER}. If this is another account, set partners:baseUrl back. ` +
    `If the account has moved, set partners:previousBaseUrl to ${URL} for the next "pulumi up". Nothing was sent.`,
  account:
    'The resource belongs to account "default", but partners:account is "eu". ' +
    'Set partners:account back to "default". Nothing was sent.',
};

it.each([
  ["baseUrl", { baseUrl: OTHER }],
  ["account", { account: "eu" }],
] as const)(
  "a resource of another %s fails the preview, and is not read, changed or deleted",
  async (what, settings) => {
    const { adapter, resource } = start(settings);
    const error = expect.objectContaining({ code: "PARTNERS_RESOURCE", message: texts[what] }) as unknown;
    const news = { ...olds, count: 2 };
    expect(() => adapter.preview(olds, news)).toThrow(texts[what]);
    const calls = [adapter.check(olds, { count: 2 }, URN), adapter.read(olds)];
    for (const call of [...calls, adapter.update(olds, news, NAME), adapter.delete(olds, NAME)])
      expect(await failureOf(call)).toEqual(error);
    for (const method of ["check", "apply", "read", "remove"] as const)
      expect(resource[method]).not.toHaveBeenCalled();
  },
);

it("a resource whose account has a new address shows the change, and the update sends nothing", async () => {
  const { adapter, resource } = start({ baseUrl: OTHER, previousBaseUrl: `${URL}/` });
  const { inputs, problems } = await adapter.check(olds, { count: 1 }, URN);
  expect(problems).toEqual([]);
  expect(adapter.diff(olds, inputs, NAME)).toEqual({ changes: true, replaces: [] });
  const outputs = await adapter.update({ ...olds, newer: 1 }, inputs, NAME);
  expect(outputs).toEqual({ count: 1, newer: 1, account: "default", server: OTHER });
  expect(adapter.diff(outputs, inputs, NAME)).toEqual({ changes: false, replaces: [] });
  expect(resource.apply).not.toHaveBeenCalled();
  // A change that comes with it is made.
  const { inputs: more } = await adapter.check(olds, { count: 2 }, URN);
  expect(await adapter.update(olds, more, NAME)).toEqual({ count: 2, account: "default", server: OTHER });
  await adapter.delete(olds, NAME);
  expect(resource.remove).toHaveBeenCalledTimes(1);
});

describe("a resource of a Provider that has lost it", () => {
  const created = async (account: string) => {
    const { adapter } = start({ account, explicit: "true" });
    return (await adapter.create((await adapter.check({}, {}, URN)).inputs, URN)).outputs;
  };
  const text =
    'The resource belongs to the Provider of account "eu", and now has no Provider. ' +
    'Pass it again, with the option "provider". Nothing was sent.';

  it.each(["default", "eu"])("is refused, although partners:account is %s", async (account) => {
    const olds = await created("eu");
    const { adapter, resource } = start({ account });
    const calls = [adapter.check(olds, {}, URN), adapter.read(olds), adapter.delete(olds, NAME)];
    for (const call of calls) expect(await failureOf(call)).toMatchObject({ message: text });
    for (const method of ["check", "read", "remove"] as const)
      expect(resource[method]).not.toHaveBeenCalled();
  });

  it('is that of the stack if the Provider was for the account "default"', async () => {
    const olds = await created("default");
    const { adapter } = start();
    const { inputs, problems } = await adapter.check(olds, {}, URN);
    expect([inputs, problems]).toEqual([{ count: 1, ...COMMON }, []]);
    expect(adapter.diff(olds, inputs, NAME)).toEqual({ changes: false, replaces: [] });
  });
});

it("a resource that moves to another Provider is replaced, whatever its address", async () => {
  const { adapter } = start({ baseUrl: OTHER, account: "eu", explicit: "true" });
  const { inputs, problems } = await adapter.check(olds, { count: 1 }, URN);
  expect(problems).toEqual([]);
  expect(adapter.diff(olds, inputs, NAME)).toEqual({ changes: true, replaces: ["account"] });
});

it("a read keeps an output of a newer version, and takes account and address from the state", async () => {
  const { adapter, resource } = start({ baseUrl: OTHER, previousBaseUrl: URL });
  const olds = { count: 1, newer: true, ...COMMON };
  expect(await adapter.read(olds)).toEqual({ outputs: olds });
  resource.read.mockResolvedValueOnce({ state: { count: 3 }, inputs: { count: 3 } } as never);
  const found = { outputs: { ...olds, count: 3 }, inputs: { count: 3, ...COMMON } };
  expect(await adapter.read(olds)).toEqual(found);
  resource.read.mockResolvedValueOnce(null as never);
  expect(await adapter.read(olds)).toBeNull();
});

it("an import takes today's account and address, or proves that there is no resource", async () => {
  const { adapter, resource } = start();
  resource.adopt.mockResolvedValueOnce({ state: { count: 3 }, inputs: null });
  expect(await adapter.adopt("7")).toEqual({ outputs: { count: 3, ...COMMON }, inputs: COMMON });
  resource.adopt.mockResolvedValueOnce(null);
  expect(await adapter.adopt("8", true)).toBeNull();
  expect(resource.adopt).toHaveBeenNthCalledWith(1, "7", false);
  expect(resource.adopt).toHaveBeenNthCalledWith(2, "8", true);
});

describe("a failed change", () => {
  const news = { count: 3, ...COMMON };

  /** Lets the next call reach a count, and then fail. */
  const failing = (count: number, failure: PartnerError) => Promise.resolve({ state: { count }, failure });

  it("that reached nothing is an error, and one that reached something keeps it", async () => {
    const { adapter, resource } = start();
    resource.apply.mockRejectedValueOnce(refused("no"));
    expect(await failureOf(adapter.create(news, URN))).toEqual(refused("no"));
    resource.apply.mockReturnValueOnce(failing(1, refused("half")));
    const failure = await failureOf(adapter.create(news, URN));
    expect(failure).toEqual(new PartialFailure("counter-2", { count: 1, ...COMMON }, refused("half")));
  });

  it.each<[what: string, urn: string, continues: boolean]>([
    ["goes on from there, with the same ID", URN, true],
    ["starts again if the host does not know the URN", "", false],
  ])("that a retry hook repeats %s", async (_what, urn, continues) => {
    const { adapter, resource } = start();
    resource.apply.mockReturnValueOnce(failing(1, refused("half")));
    await failureOf(adapter.create(news, urn));
    const { id, outputs } = await adapter.create(news, urn);
    expect([id, outputs]).toEqual([continues ? "counter-1" : "counter-2", news]);
    await adapter.create(news, urn); // The replacement of a resource that succeeded.
    const states = resource.apply.mock.calls.map(([olds]) => olds);
    expect(states).toEqual([null, continues ? { count: 1 } : null, null]);
  });

  it("is followed only by partial failures, as an error would restore the old state", async () => {
    const { adapter, resource } = start();
    const olds = { count: 0, ...COMMON };
    resource.apply.mockReturnValueOnce(failing(1, refused("half")));
    await failureOf(adapter.update(olds, news, NAME));
    resource.apply.mockRejectedValueOnce(refused("no"));
    const failure = await failureOf(adapter.update(olds, news, NAME));
    expect(failure).toMatchObject({ properties: { count: 1 }, reason: refused("no") });
    resource.apply.mockRejectedValueOnce(new TypeError("bug"));
    expect(await failureOf(adapter.update(olds, news, NAME))).toBeInstanceOf(TypeError);
  });

  it("is the same one if only what follows its summary differs", async () => {
    const { adapter, resource, notices } = start();
    for (const text of ["a", "b", "c", "d"]) {
      const failure = new PartnerError("PARTNERS_STATUS", text, { summary: "POST: 503" });
      resource.apply.mockReturnValueOnce(failing(1, failure));
      await failureOf(adapter.create(news, URN));
    }
    expect(notices).toHaveLength(1);
  });

  it("is kept with a warning when it comes for the fourth time: the engine would drop everything", async () => {
    const { adapter, resource, notices } = start();
    for (const text of ["a", "b", "a", "b", "a", "b"]) {
      resource.apply.mockReturnValueOnce(failing(1, refused(text)));
      expect(await failureOf(adapter.create(news, URN))).toBeInstanceOf(PartialFailure);
    }
    resource.apply.mockReturnValueOnce(failing(1, refused("b")));
    const outputs = { count: 1, ...COMMON };
    expect(await adapter.create(news, URN)).toEqual({ id: "counter-1", outputs });
    const text = "b This failed four times, so the stack keeps what it has.";
    expect(notices).toEqual([warning(text)]);
    // The replacement of a resource that succeeded, as far as the engine knows.
    expect(await adapter.create(news, URN)).toEqual({ id: "counter-2", outputs: news });
  });
});
