import * as pulumi from "@pulumi/pulumi";
import { SecretFile } from "./secret-file";

const config = new pulumi.Config();

// For example, organization/partners-keys/production.
const keys = new pulumi.StackReference(config.require("keysStack"));

// The application on this machine reads its key from a file, for example with this line of its systemd unit:
// LoadCredential=partner-api-key:/etc/shop/partner-api-key
export const keyFile = new SecretFile("partner-api-key", {
  path: config.require("keyFile"),
  content: keys.requireOutput("shopApiKey"),
}).path;
