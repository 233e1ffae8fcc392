import type * as Grpc from "@grpc/grpc-js";
import engine from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";

/** gRPC obeys `grpc_proxy`, `https_proxy` and `http_proxy` even for 127.0.0.1, where the engine is. */
const ENGINE_CHANNEL = { "grpc.enable_http_proxy": 0 };

/**
 * Sends messages to the engine, which shows them with their severity and resource, and counts the warnings.
 */
export class EngineLog {
  readonly #grpc: () => typeof Grpc;
  readonly #pending = new Set<Promise<void>>();
  readonly #address: string | undefined;
  #client: engine.IEngineClient | null = null;

  /**
   * @param address The engine's address as host and port. Without one, messages go to stderr, except for the
   * status.
   * @param grpc Loads the gRPC library when the first message is sent. It must be the one that the SDK's
   * protocol files use.
   */
  constructor(address: string | undefined, grpc: () => typeof Grpc) {
    this.#address = address;
    this.#grpc = grpc;
  }

  /**
   * Shows a line; on stderr if the engine cannot.
   *
   * @param urn The resource that it belongs to. May be empty.
   */
  show(severity: "WARNING" | "INFO", message: string, urn: string): void {
    const prefixed = `pulumi-partners: ${message}`;
    const request = new LogRequest().setSeverity(LogSeverity[severity]).setUrn(urn);
    // Without a resource, nothing else shows the sender.
    this.#send(request.setMessage(urn === "" ? prefixed : message), `${prefixed}\n`);
  }

  /** Shows a message in the status column, until the next one replaces it. */
  showStatus(message: string, urn: string): void {
    this.#send(
      new LogRequest().setSeverity(LogSeverity.INFO).setMessage(message).setUrn(urn).setEphemeral(true),
    );
  }

  /** Resolves once the engine has accepted all messages. */
  async flush(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #send(request: LogRequest, fallback = ""): void {
    if (this.#address === undefined) {
      process.stderr.write(fallback);
      return;
    }
    const { credentials, Metadata } = this.#grpc();
    const client = (this.#client ??= new engine.EngineClient(
      this.#address,
      credentials.createInsecure(),
      ENGINE_CHANNEL,
    ));
    const deadline = Date.now() + 5_000; // Enough, since the engine runs on the same machine.
    const sent = new Promise<void>((resolve) => {
      client.log(request, new Metadata(), { deadline }, (error) => {
        if (error) process.stderr.write(fallback);
        resolve();
      });
    });
    this.#pending.add(sent);
    void sent.then(() => this.#pending.delete(sent));
  }
}
