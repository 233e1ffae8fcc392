import grpc from "@grpc/grpc-js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { fromStruct, PluginError, type Properties, toStruct } from "./plugin-protocol.ts";

const DEADLINE_MS = 20_000;

/**
 * The dynamic-provider host as the engine sees it. Properties are plain objects with `__provider` among them. Every call
 * rejects with a {@link PluginError} if a handler fails, or if there is no answer after `deadlineMs` (20 s unless given).
 */
export interface PluginCalls {
  configure(config: Readonly<Record<string, string>>, deadlineMs?: number): Promise<void>;
  check(news: Properties, olds?: Properties, deadlineMs?: number): Promise<Checked>;
  diff(id: string, olds: Properties, news: Properties, deadlineMs?: number): Promise<Difference>;
  create(news: Properties, deadlineMs?: number): Promise<{ id: string; properties: Properties }>;
  read(id: string, properties: Properties, inputs?: Properties, deadlineMs?: number): Promise<Found>;
  update(
    id: string,
    olds: Properties,
    news: Properties,
    deadlineMs?: number,
  ): Promise<{ properties: Properties }>;
  delete(id: string, properties: Properties, deadlineMs?: number): Promise<void>;
}

/** What `check` answers. */
export interface Checked {
  readonly inputs: Properties;
  readonly failures: readonly { readonly property: string; readonly reason: string }[];
}

/** What `diff` answers; `changes` is undefined where the handler says neither yes nor no. */
export interface Difference {
  readonly changes: boolean | undefined;
  readonly replaces: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

/** What `read` answers: an empty `id` means that the resource is gone. */
export interface Found {
  readonly id: string;
  readonly properties: Properties;
  /** Undefined where the handler returns none; the engine then keeps the old ones. */
  readonly inputs: Properties | undefined;
}

/** The calls over a connected client. */
export function pluginCalls(client: ResourceProviderClient): PluginCalls {
  return {
    configure: async (values, deadlineMs) => {
      const request = new proto.ConfigureRequest().setArgs(toStruct(values)).setAcceptsecrets(true);
      await call("configure", client.configure.bind(client), request, deadlineMs);
    },
    check: async (news, olds = {}, deadlineMs) => {
      const request = new proto.CheckRequest().setNews(toStruct(news)).setOlds(toStruct(olds));
      const response = await call("check", client.check.bind(client), request, deadlineMs);
      return { inputs: fromStruct(response.getInputs()), failures: response.toObject().failuresList };
    },
    diff: async (id, olds, news, deadlineMs) => {
      const request = new proto.DiffRequest().setId(id).setOlds(toStruct(olds)).setNews(toStruct(news));
      const response = await call("diff", client.diff.bind(client), request, deadlineMs);
      const { DIFF_SOME, DIFF_UNKNOWN } = proto.DiffResponse.DiffChanges;
      const changes = response.getChanges();
      return {
        changes: changes === DIFF_UNKNOWN ? undefined : changes === DIFF_SOME,
        replaces: response.getReplacesList(),
        deleteBeforeReplace: response.getDeletebeforereplace(),
      };
    },
    create: async (news, deadlineMs) => {
      const request = new proto.CreateRequest().setProperties(toStruct(news));
      const response = await call("create", client.create.bind(client), request, deadlineMs);
      return { id: response.getId(), properties: fromStruct(response.getProperties()) };
    },
    read: async (id, properties, inputs, deadlineMs) => {
      const request = new proto.ReadRequest().setId(id).setProperties(toStruct(properties));
      if (inputs) request.setInputs(toStruct(inputs));
      const response = await call("read", client.read.bind(client), request, deadlineMs);
      return {
        id: response.getId(),
        properties: fromStruct(response.getProperties()),
        inputs: response.hasInputs() ? fromStruct(response.getInputs()) : undefined,
      };
    },
    update: async (id, olds, news, deadlineMs) => {
      const request = new proto.UpdateRequest().setId(id).setOlds(toStruct(olds)).setNews(toStruct(news));
      const response = await call("update", client.update.bind(client), request, deadlineMs);
      return { properties: fromStruct(response.getProperties()) };
    },
    delete: async (id, properties, deadlineMs) => {
      const request = new proto.DeleteRequest().setId(id).setProperties(toStruct(properties));
      await call("delete", client.delete.bind(client), request, deadlineMs);
    },
  };
}

type Method<Request, Response> = (
  request: Request,
  metadata: grpc.Metadata,
  options: Partial<grpc.CallOptions>,
  callback: (error: grpc.ServiceError | null, response: Response) => void,
) => grpc.ClientUnaryCall;

async function call<Request, Response>(
  name: string,
  method: Method<Request, Response>,
  request: Request,
  deadlineMs = DEADLINE_MS,
): Promise<Response> {
  const { error, response } = await new Promise<{ error: grpc.ServiceError | null; response: Response }>(
    (resolve) => {
      method(request, new grpc.Metadata(), { deadline: Date.now() + deadlineMs }, (error, response) => {
        resolve({ error, response });
      });
    },
  );
  if (error) throw new PluginError(name, error); // Thrown here, its stack leads to the test.
  return response;
}
