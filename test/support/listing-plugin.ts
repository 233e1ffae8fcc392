import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";

import { inheritedEnv } from "../../provider/tools/child-process.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const PROGRAMS = {
  dynamic: createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/dynamic-provider"),
  native: join(REPOSITORY, "provider/bin/pulumi-resource-partners"),
};
const __provider = 'exports.handler=()=>require("pulumi-partners/plugin").partnerWebhooks';
/** The call of the engine that lists the webhooks. */
const LISTING = {
  dynamic: [
    "Read",
    new proto.ReadRequest().setId("webhooks").setProperties(struct.Struct.fromJavaScript({ __provider })),
  ],
  native: ["Invoke", new proto.InvokeRequest().setTok("partners:index:getPartnerWebhooks")],
} as const;
const LIMIT = 400 * 1024 * 1024;

/**
 * Starts a plugin with a service that returns a body as its webhook list. The result is not decoded,
 * which would take this process longer than the plugin.
 *
 * @param flags Options of Node.js for the plugin.
 */
export async function startListing(host: keyof typeof PROGRAMS, body: Buffer, flags: readonly string[] = []) {
  const service = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  const env = {
    ...inheritedEnv(),
    PULUMI_NODEJS_PROJECT: "test",
    PARTNERS_BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    PARTNERS_ACCESS_TOKEN: "test-token-0123456789",
  };
  const child = spawn(process.execPath, [...flags, PROGRAMS[host], "127.0.0.1:1"], {
    cwd: REPOSITORY,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "close");
  const [port] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  const client = new grpc.Client(`127.0.0.1:${port.trim()}`, grpc.credentials.createInsecure(), {
    "grpc.max_receive_message_length": LIMIT,
  });
  const call = (method: string, request: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const path = `/pulumirpc.ResourceProvider/${method}`;
      const identity = (bytes: Buffer): Buffer => bytes;
      const options = { deadline: Date.now() + 60_000 };
      client.makeUnaryRequest(
        path,
        identity,
        identity,
        request,
        new grpc.Metadata(),
        options,
        (error, bytes) => {
          if (bytes) resolve(bytes);
          else reject(error ?? new Error("no response"));
        },
      );
    });
  const settings = new proto.ConfigureRequest().setArgs(new struct.Struct());
  await call("Configure", Buffer.from(settings.serializeBinary()));
  return {
    /** The ID of the plugin's process. */
    plugin: child.pid ?? 0,
    /** Lists the webhooks, and returns the error or the number of bytes. */
    list: async (): Promise<string> => {
      const [method, request] = LISTING[host];
      return call(method, Buffer.from(request.serializeBinary())).then(
        (bytes) => `${bytes.length} bytes`,
        (error: unknown) => (error as grpc.ServiceError).details,
      );
    },
    close: async (): Promise<void> => {
      client.close();
      child.kill("SIGKILL");
      await ended;
      service.closeAllConnections();
      service.close();
    },
  };
}
