import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const ENCRYPTED_KEY = "vault:v1:key";

/**
 * Starts a server that keeps the key of a stack's secrets as HashiCorp Vault does. Each start of the CLI
 * derives a key from a passphrase again, which takes half of the CPU time of the start.
 */
export async function startVault() {
  const plaintext = randomBytes(32).toString("base64");
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify({ data: { plaintext } }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    /** The variables with which the CLI finds the server. */
    env: { VAULT_SERVER_URL: `http://127.0.0.1:${port}`, VAULT_SERVER_TOKEN: "test" },
    /** The settings of a stack that name the key. */
    stackSettings: [
      "secretsprovider: hashivault://test",
      `encryptedkey: ${Buffer.from(ENCRYPTED_KEY).toString("base64")}`,
    ].join("\n"),
    close: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
}
