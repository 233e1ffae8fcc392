// Copied beside examples/key-consumers, whose packages it uses: each consumer gets the key, and gets it as a secret.
const assert = require("node:assert/strict");
const pulumi = require("@pulumi/pulumi");

/** A secret as the engine sees it. */
const secret = (value) => ({ "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value });

const declared = {};
const mocks = {
  newResource({ type, name, inputs }) {
    declared[type] = inputs;
    const apiKey = type.endsWith(":PartnerApiKey") && { apiKey: "pk_test" };
    return { id: name, state: { ...inputs, ...apiKey } };
  },
  call: () => ({}),
};
pulumi.runtime.setMocks(mocks).then(() => require("./built/index.js"));

// Resources are registered after the program has ended.
process.once("beforeExit", () => {
  const { stringData } = declared["kubernetes:core/v1:Secret"];
  const { value } = declared["github:index/actionsSecret:ActionsSecret"];
  assert.deepEqual([stringData, value], [secret({ PARTNER_API_KEY: "pk_test" }), secret("pk_test")]);
  process.stdout.write("With mocks, both consumers get the key as a secret.\n");
});
