import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";

// After the first "pulumi up", remove existingApiKey here and checkoutApiKey from the configuration: that changes nothing.
new partners.PartnerApiKey("checkout", {
  existingApiKey: new pulumi.Config().requireSecret("checkoutApiKey"),
});
