import { AsyncLocalStorage } from "node:async_hooks";

import type * as Grpc from "@grpc/grpc-js";
import engine from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";

/** Milliseconds in which the engine must accept a message; it runs on the same machine. */
const LOG_DEADLINE = 5_000;

/** Sends warnings and status messages to the engine, which shows them with their severity and resource, and counts the warnings. */
export class EngineLog {
  readonly #grpc: () => typeof Grpc;
  readonly #urn = new AsyncLocalStorage<string>();
  readonly #pending = new Set<Promise<void>>();
  readonly #address: string | undefined;
  #client: engine.IEngineClient | null = null;

  /**
   * @param address The engine's address as host and port. Without one, warnings go to stderr.
   * @param grpc Loads the gRPC library when the first message is sent. It must be the one that the SDK's protocol files use.
   */
  constructor(address: string | undefined, grpc: () => typeof Grpc) {
    this.#address = address;
    this.#grpc = grpc;
  }

  /** Runs a function whose messages belong to a resource. Resolves once the engine has accepted all messages. */
  async withUrn<Result>(urn: string, run: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#urn.run(urn, run);
    } finally {
      await Promise.all(this.#pending);
    }
  }

  /** Shows a warning. */
  warn(message: string): void {
    const prefixed = `pulumi-partners: ${message}`;
    const text = this.#urn.getStore() ? message : prefixed; // Without a resource, nothing else shows the sender.
    this.#send(text, LogSeverity.WARNING, false, () => process.stderr.write(`${prefixed}\n`));
  }

  /** Shows a message in the status column, until the next one replaces it. */
  status(message: string): void {
    this.#send(message, LogSeverity.INFO, true, () => undefined);
  }

  #send(message: string, severity: LogSeverity, ephemeral: boolean, fallback: () => void): void {
    const address = this.#address;
    if (address === undefined) {
      fallback();
      return;
    }
    const { credentials, Metadata } = this.#grpc();
    this.#client ??= new engine.EngineClient(address, credentials.createInsecure());
    const client = this.#client;
    const request = new LogRequest()
      .setMessage(message)
      .setSeverity(severity)
      .setEphemeral(ephemeral)
      .setUrn(this.#urn.getStore() ?? "");
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
