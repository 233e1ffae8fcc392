import { expect, it } from "vitest";

import * as messages from "../../../provider/src/adapter/resource-messages.ts";

const [URL, OTHER] = ["https://partners.example.com", "https://other.example.com"];
const name = (setting: string): string => `partners:${setting}`;

/** Every error and notice that resources share, as it is shown. */
const ALL = [
  messages.invalidArguments(["webhookId must be a positive whole number."]),
  messages.wrongImportId("the ID of a webhook"),
  messages.notAnArgument("account", "default"),
  messages.notAnArgument("server", URL),
  messages.providerMissing("eu"),
  messages.otherAccount("eu", "default", name),
  messages.otherServer(URL, OTHER, name),
  messages.keptAfterRepetitions("The service returned the current key again."),
].map((each) => {
  if (typeof each === "string") return each;
  return each instanceof Error ? `${each.message} [${each.code}]` : `${each.severity}: ${each.text}`;
});

it("all messages of resources are those of resource-messages.txt", async () => {
  await expect(`${ALL.join("\n")}\n`).toMatchFileSnapshot("resource-messages.txt");
});
