import { chmod, writeFile } from "node:fs/promises";
import type grpc from "@grpc/grpc-js";
import analyzergrpc from "@pulumi/pulumi/proto/analyzer_grpc_pb.js";
import analyzer from "@pulumi/pulumi/proto/analyzer_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { onTestFinished } from "vitest";

import { serveGrpc } from "./grpc-server.ts";
import { fromStruct, toStruct, type Properties } from "./spawned-plugin.ts";

/** Returns other inputs; `null` to leave them as they are. */
type Remediate = (type: string, inputs: Properties) => Properties | null;

/** Creates a policy pack, for the current test, that changes inputs after their check. */
export async function createPolicyPack(file: string, remediate: Remediate): Promise<void> {
  const server = await serveGrpc(analyzergrpc.AnalyzerService, serviceOf(remediate));
  onTestFinished(server.close);
  // The engine starts the file, reads the port of the server, and kills the file at the end.
  await writeFile(file, `#!/bin/sh\necho ${server.address.split(":").at(-1) ?? ""}\nexec sleep 600\n`);
  await chmod(file, 0o755);
}

function serviceOf(remediate: Remediate) {
  const handle =
    <Request, Response>(respond: (request: Request) => Response): grpc.handleUnaryCall<Request, Response> =>
    ({ request }, callback) => {
      callback(null, respond(request));
    };
  const nothing = handle(() => new empty.Empty());
  return {
    handshake: handle(() => new analyzer.AnalyzerHandshakeResponse()),
    configure: nothing,
    configureStack: handle(() => new analyzer.AnalyzerStackConfigureResponse()),
    cancel: nothing,
    getPluginInfo: handle(() => new plugin.PluginInfo().setVersion("1.0.0")),
    getAnalyzerInfo: handle(() => new analyzer.AnalyzerInfo().setName("test").setVersion("1.0.0")),
    analyze: handle(() => new analyzer.AnalyzeResponse()),
    analyzeStack: handle(() => new analyzer.AnalyzeResponse()),
    remediate: handle((request: analyzer.AnalyzeRequest) => {
      const inputs = remediate(request.getType(), fromStruct(request.getProperties()));
      const change = (properties: Properties) =>
        new analyzer.Remediation().setPolicyname("test").setProperties(toStruct(properties));
      return new analyzer.RemediateResponse().setRemediationsList(inputs === null ? [] : [change(inputs)]);
    }),
  };
}
