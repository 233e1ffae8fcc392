import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { inheritedEnv } from "../support/process.ts";
import { runProcess } from "../support/process.ts";
import { errorOf, KEY, pluginFor } from "./partners.ts";

const MAIN = join(import.meta.dirname, "../../provider/dist/cli/main.js");
const APIKEY = "pk_live_0123456789abcdefghijklmnopqr";
const inputs = { ...KEY, account: "default" };

/** A service whose keys come as plain text; of the first ones only so many bytes arrive. */
async function plainService(bytes: number, end: "reset" | "fin") {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    if (request.method === "GET") return response.end("[]");
    requests.push(`${request.method ?? ""} ${request.url ?? ""}`);
    response.writeHead(200, { "content-type": "text/plain", "content-length": APIKEY.length });
    response.write(APIKEY.slice(0, bytes), () => {
      if (end === "fin") request.socket.end();
      else setTimeout(() => request.socket.resetAndDestroy(), 20); // A reset may overtake the bytes.
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { requests, baseUrl: `http://127.0.0.1:${port}` };
}

const accessToken = "t0ken";
const responses = '{"apiKey":""}';

it.each([
  ["reset", 24],
  ["fin", 24],
  ["fin", 8],
] as const)(
  "a key as plain text that is cut off by %s after %d bytes is kept, and never taken for the key",
  async (end, bytes) => {
    const { requests, baseUrl } = await plainService(bytes, end);
    const settings = { baseUrl, accessToken, responses };
    const config = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`partners:${name}`, value]),
    );
    const plugin = await pluginFor({ config });
    const failure = await errorOf(plugin.create(inputs));
    const { id, properties } = failure.initFailure ?? { id: "", properties: {} };
    expect(failure.initFailure?.reasons[0]).toContain("A key EXISTS on the server now.");
    expect(failure.initFailure?.reasons[0]).toContain("(the answer broke off)");
    expect(properties).toMatchObject({
      apiKey: null,
      response: `${APIKEY.slice(0, bytes)} (the rest never came)`,
    });

    // Nor does it become the key later, by an update or before a deletion.
    const later = await errorOf(plugin.update(id, properties, inputs));
    expect(later.initFailure?.properties).toMatchObject({ apiKey: null });
    await errorOf(plugin.delete(id, properties));
    expect(requests).toEqual(["POST /api/v1/partners/api-key"]);
  },
);

it("doctor does not delete by what came of such a key, and says that it exists", async () => {
  const { requests, baseUrl } = await plainService(24, "reset");
  const settings = {
    PARTNERS_BASE_URL: baseUrl,
    PARTNERS_ACCESS_TOKEN: accessToken,
    PARTNERS_RESPONSES: responses,
  };
  const env = { ...inheritedEnv(), PATH: dirname(process.execPath), ...settings };
  const args = [MAIN, "doctor", "--try-create", "--yes"];
  const { code, stdout } = await runProcess(process.execPath, args, { env, cwd: tmpdir() });
  expect(code).toBe(3);
  expect(stdout).toContain("A key EXISTS at the service that nobody holds");
  expect(requests).toEqual(["POST /api/v1/partners/api-key"]);
});
