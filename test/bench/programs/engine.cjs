const pulumi = require("@pulumi/pulumi");

/** Our registration and our state, with handlers that do nothing. The plugin runs in the project's folder. */
class Bare extends pulumi.CustomResource {
  constructor(name, webhookId) {
    const __provider = 'exports.handler=()=>require(process.cwd()+"/engine-handlers.cjs").handlers';
    const inputs = { webhookId, state: "active", initialState: undefined, __provider };
    super("pulumi-nodejs:dynamic/partners:PartnerWebhookState", name, inputs);
  }
}

exports.declare = function (_kind, count) {
  for (let index = 1; index <= count; index += 1) new Bare(`webhook-${index}`, index);
};
