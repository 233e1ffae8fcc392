import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";

// A key for one of our services: created with the stack, deleted with it. To rotate it in the next `up`, and
// keep the old key valid for 7 more days: pulumi config set rotate 2026-02-19
const trigger = new pulumi.Config().get("rotate");
const checkout = new partners.PartnerApiKey("checkout", { rotation: { trigger, overlapDays: 7 } });

// Existing webhooks, and the state to keep each of them in.
const orders = new partners.PartnerWebhookState("orders", {
  webhookId: 101,
  state: "active",
  stateOnDestroy: "restore", // On removal, restore the state in which it was found.
});
new partners.PartnerWebhookState("refunds", { webhookId: 103, state: "disabled" });

export const apiKey = checkout.apiKey; // A secret: shown only with --show-secrets.
export const hint = checkout.hint; // Its last four characters, to tell keys apart.
export const ordersState = orders.state;
