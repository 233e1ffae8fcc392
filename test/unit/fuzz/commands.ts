import fc from "fast-check";

import type { Model } from "./model.ts";
import type { World } from "./world.ts";

/** One thing that happens: to the program, the configuration, the services, or the stack. */
export type Command = fc.AsyncCommand<Model, World>;

/**
 * Makes a command.
 *
 * @param label What a person reads in a reproduction.
 * @param can Whether it makes sense. @param act Does it, to the model and to the world.
 */
export function command(
  label: string,
  act: (model: Model, world: World) => Promise<unknown> | undefined,
  can: (model: Model) => boolean = () => true,
): Command {
  return {
    check: can,
    run: async (model, world) => {
      world.operations += 1;
      await act(model, world);
      world.agree();
    },
    toString: () => label,
  };
}
