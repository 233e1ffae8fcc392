import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";

// Change this setting to rotate the key in the next `pulumi up`: pulumi config set rotate 2026-02-19
const trigger = new pulumi.Config().get("rotate");

// Each application has 7 days to run its own `up` before its old key is deleted.
const shop = new partners.PartnerApiKey("shop", {
  rotation: { afterDays: 90, overlapDays: 7, trigger },
});

export const shopApiKey = shop.apiKey; // A secret, in the stacks that read it too.
