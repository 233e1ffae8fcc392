import type * as Grpc from "@grpc/grpc-js";
import engine from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";

import type { MaskedText } from "../partner-api/known-secrets.js";

/** gRPC obeys `grpc_proxy`, `https_proxy` and `http_proxy` even for 127.0.0.1, where the engine is. */
const ENGINE_CHANNEL = { "grpc.enable_http_proxy": 0 };
/** Milliseconds. Enough, since the engine runs on the same machine. */
const DEADLINE = 5_000;

/** Sends messages to the engine, which shows them with their resource, and counts the warnings. */
export class EngineLog {
  readonly #address: string | undefined;
  readonly #grpc: typeof Grpc;
  /** The messages so far, one after the other: the engine shows concurrent ones in any order. */
  #sent = Promise.resolve();
  #client: engine.IEngineClient | null = null;

  /**
   * @param address Without one, messages go to stderr, except for the status.
   * @param grpc The gRPC library that the SDK's protocol files use.
   */
  constructor(address: string | undefined, grpc: typeof Grpc) {
    this.#address = address;
    this.#grpc = grpc;
  }

  /** Shows a line, on stderr if the engine cannot. @param urn Empty if it belongs to no resource. */
  show(severity: "WARNING" | "INFO", message: MaskedText, urn: string): void {
    const prefixed = `pulumi-partners: ${message}`;
    const request = new LogRequest().setSeverity(LogSeverity[severity]).setUrn(urn);
    const text = urn === "" ? prefixed : message; // Without a resource, nothing else shows the sender.
    this.#send(request.setMessage(text), `${prefixed}\n`);
  }

  /** Shows a message in the status column, until the next one replaces it. */
  showStatus(message: MaskedText, urn: string): void {
    const request = new LogRequest().setSeverity(LogSeverity.INFO).setMessage(message);
    this.#send(request.setUrn(urn).setEphemeral(true));
  }

  /** Resolves once the engine has accepted all messages. */
  flush(): Promise<void> {
    return this.#sent;
  }

  #send(request: LogRequest, fallback = ""): void {
    const showFallback = (): void => void process.stderr.write(fallback);
    if (this.#address === undefined) showFallback();
    else this.#sent = this.#sent.then(() => this.#deliver(request)).catch(showFallback);
  }

  #deliver(request: LogRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const { credentials, Metadata } = this.#grpc;
      this.#client ??= new engine.EngineClient(
        this.#address ?? "",
        credentials.createInsecure(),
        ENGINE_CHANNEL,
      );
      this.#client.log(request, new Metadata(), { deadline: Date.now() + DEADLINE }, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }
}
