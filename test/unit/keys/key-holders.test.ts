import { describe, expect, it } from "vitest";

import { DeletedKeys } from "../../../provider/src/keys/deleted-keys.js";
import { KeyHolders } from "../../../provider/src/keys/key-holders.js";

const urn = (name: string) => `urn:pulumi:dev::test::partners:index:PartnerApiKey::${name}`;
const resource = (name: string) => ({ id: `key-${name}`, urn: urn(name) });

function holders(): KeyHolders {
  return new KeyHolders(null, { readSettings: () => ({ identity: "token" }), warn: () => undefined });
}

describe("the memory of a run", () => {
  it("names the resource that has a key, not one that only shows it, and the response to its creation", () => {
    const run = holders();
    run.record(resource("new"), [{ names: ["pk_1"], response: null, isShown: true }]);
    run.record(resource("old"), [{ names: ["pk_1"], response: "created", isShown: false }]);
    const holder = run.otherHolder(resource("third"), ["pk_1"]);
    expect(holder).toMatchObject({ urn: urn("old"), same: "key", response: run.hash("created") });
    expect(JSON.stringify(holder)).not.toMatch(/pk_1|created/);
  });

  it("holds each deleted key until the service returns it again, by whatever names it was deleted", () => {
    const run = holders();
    for (const names of [["pk_1"], ["pk_1", "id_1"], ["pk_2"]]) run.recordDeletion(names);
    expect(["pk_1", "pk_2", "pk_3"].map((key) => run.wasDeleted([key]))).toEqual([true, true, false]);
    run.forgetDeletion(["pk_1"]);
    expect(["pk_1", "pk_2"].map((key) => run.wasDeleted([key]))).toEqual([false, true]);
  });

  it("counts only a deletion that was confirmed as one after which a key can come back", () => {
    const run = new DeletedKeys();
    run.recordPossibleDeletion("pk_1");
    expect([...run.deletedSoFar()]).toEqual([]);
  });
});
