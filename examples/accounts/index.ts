import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";

// The default account (partners:baseUrl and partners:accessToken) needs no provider.
const us = new partners.PartnerApiKey("checkout-us");

// Each other account needs a provider with its own settings.
const config = new pulumi.Config();
const provider = new partners.Provider("eu", {
  baseUrl: config.require("euBaseUrl"),
  accessToken: config.requireSecret("euAccessToken"),
});
const eu = new partners.PartnerApiKey("checkout-eu", {}, { provider });
new partners.PartnerWebhookState("orders-eu", { webhookId: 101, state: "disabled" }, { provider });

export const accounts = [us.account, eu.account];
export const apiKeys = { us: us.apiKey, eu: eu.apiKey };
