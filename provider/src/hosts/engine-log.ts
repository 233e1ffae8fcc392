import { AsyncLocalStorage } from "node:async_hooks";

import type * as Grpc from "@grpc/grpc-js";
import engine from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";

/** Milliseconds for the engine to take a message: it is on this machine. */
const LOG_DEADLINE = 5_000;

/**
 * What people see of the plugin besides its answers, told through the engine: there, a warning has a severity and a resource, and
 * counts as one.
 */
export class EngineLog {
  readonly #grpc: () => typeof Grpc;
  readonly #urn = new AsyncLocalStorage<string>();
  readonly #pending = new Set<Promise<void>>();
  readonly #address: string | undefined;
  #client: engine.IEngineClient | null = null;

  /**
   * @param address Where the engine listens, as host and port. Without one, warnings go to stderr.
   * @param grpc Loads the library, at the first message: the one that the SDK's protocol files use.
   */
  constructor(address: string | undefined, grpc: () => typeof Grpc) {
    this.#address = address;
    this.#grpc = grpc;
  }

  /** Runs what is done about a resource, so that messages name it. Resolves once the engine has taken them all. */
  async about<Result>(urn: string, run: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#urn.run(urn, run);
    } finally {
      await Promise.all(this.#pending);
    }
  }

  /** Warns. */
  warn(message: string): void {
    const named = `pulumi-partners: ${message}`;
    const text = this.#urn.getStore() ? message : named; // Without a resource, it has to say whose it is.
    this.#send(text, LogSeverity.WARNING, false, () => process.stderr.write(`${named}\n`));
  }

  /** Shows what is going on, in the status column, until the next message. */
  status(message: string): void {
    this.#send(message, LogSeverity.INFO, true, () => undefined);
  }

  #send(message: string, severity: LogSeverity, ephemeral: boolean, instead: () => void): void {
    const address = this.#address;
    if (address === undefined) {
      instead();
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
        if (error) instead();
        resolve();
      });
    });
    this.#pending.add(sent);
    void sent.then(() => this.#pending.delete(sent));
  }
}
