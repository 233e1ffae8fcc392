import * as pulumi from "@pulumi/pulumi";

/** The arguments of a {@link SecretFile}. */
export interface SecretFileArgs {
  /** An absolute path on the machine where `pulumi up` runs. Changing it moves the file. */
  readonly path: pulumi.Input<string>;
  readonly content: pulumi.Input<string>;
}

interface Inputs {
  readonly path: string;
  readonly content: string;
}

/**
 * A file that only its owner can read. It is replaced atomically: a reader sees either the old content or the
 * new.
 */
export class SecretFile extends pulumi.dynamic.Resource {
  declare readonly path: pulumi.Output<string>;

  constructor(name: string, args: SecretFileArgs, options?: pulumi.CustomResourceOptions) {
    super(handlers, name, { path: args.path, content: pulumi.secret(args.content) }, options);
  }
}

// Pulumi keeps the source of these functions in the state, so they import what they need themselves.
const handlers: pulumi.dynamic.ResourceProvider<Inputs, Inputs> = {
  diff(_id, olds, news) {
    const moved = olds.path !== news.path;
    const changes = moved || olds.content !== news.content;
    return Promise.resolve({ changes, replaces: moved ? ["path"] : [] });
  },
  async create(inputs) {
    await write(inputs);
    return { id: inputs.path, outs: inputs };
  },
  async update(_id, _olds, news) {
    await write(news);
    return { outs: news };
  },
  async delete(path) {
    const { rm } = await import("node:fs/promises");
    await rm(path, { force: true });
  },
};

async function write({ path, content }: Inputs): Promise<void> {
  const { rename, rm, writeFile } = await import("node:fs/promises");
  const temporary = `${path}.new`;
  await rm(temporary, { force: true }); // An existing file would keep its mode.
  await writeFile(temporary, content, { mode: 0o600, flag: "wx" });
  await rename(temporary, path);
}
