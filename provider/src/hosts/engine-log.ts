import type * as Grpc from "@grpc/grpc-js";
import engine from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";

/** Milliseconds in which the engine must accept a message; it runs on the same machine. */
const LOG_DEADLINE = 5_000;

/** The resource that a message belongs to, as far as the host knows it. */
export interface MessageSubject {
  /** The URN, under which the engine shows the message. */
  readonly urn?: string;
  /** The name, for a message without a URN. */
  readonly resource?: string;
}

/** Sends messages to the engine, which shows them with their severity and resource, and counts the warnings. */
export class EngineLog {
  readonly #grpc: () => typeof Grpc;
  readonly #pending = new Set<Promise<void>>();
  readonly #address: string | undefined;
  #client: engine.IEngineClient | null = null;

  /**
   * @param address The engine's address as host and port. Without one, messages go to stderr, except for the status.
   * @param grpc Loads the gRPC library when the first message is sent. It must be the one that the SDK's protocol files use.
   */
  constructor(address: string | undefined, grpc: () => typeof Grpc) {
    this.#address = address;
    this.#grpc = grpc;
  }

  /** Shows a warning. */
  warn(message: string, subject: MessageSubject): void {
    this.#sendLine(LogSeverity.WARNING, message, subject);
  }

  /** Shows a line that is not a warning. */
  info(message: string, subject: MessageSubject): void {
    this.#sendLine(LogSeverity.INFO, message, subject);
  }

  /** Shows a message in the status column, until the next one replaces it. */
  status(message: string, { urn = "" }: MessageSubject): void {
    const request = new LogRequest().setSeverity(LogSeverity.INFO).setEphemeral(true);
    this.#send(request.setMessage(message).setUrn(urn), () => undefined);
  }

  /** Resolves once the engine has accepted all messages. */
  async flush(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #sendLine(severity: LogSeverity, message: string, { urn = "", resource }: MessageSubject): void {
    const sender = resource === undefined ? "" : `, resource ${JSON.stringify(resource)}`;
    // Without a URN, nothing else shows the sender.
    const prefixed = `pulumi-partners${sender}: ${message}`;
    const request = new LogRequest().setSeverity(severity).setUrn(urn);
    this.#send(request.setMessage(urn === "" ? prefixed : message), () => {
      process.stderr.write(`${prefixed}\n`);
    });
  }

  /** @param fallback Shows the message if the engine cannot. */
  #send(request: LogRequest, fallback: () => void): void {
    const address = this.#address;
    if (address === undefined) {
      fallback();
      return;
    }
    const { credentials, Metadata } = this.#grpc();
    this.#client ??= new engine.EngineClient(address, credentials.createInsecure());
    const client = this.#client;
    const sent = new Promise<void>((resolve) => {
      client.log(request, new Metadata(), { deadline: Date.now() + LOG_DEADLINE }, (error) => {
        if (error) fallback();
        resolve();
      });
    });
    this.#pending.add(sent);
    void sent.then(() => this.#pending.delete(sent));
  }
}
