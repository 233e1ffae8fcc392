import * as partners from "pulumi-partners";

// These webhooks are disabled. Every other webhook of the account is active.
const fleet = new partners.PartnerWebhookStates("fleet", {
  states: { 102: "disabled" },
  others: "active",
});

export const managed = fleet.initialStates.apply((states) => Object.keys(states).length);
