import type { Model } from "./model.ts";
import type { World } from "./world.ts";

/** One thing that happens: to the program, the configuration, the services, or the stack. */
export interface Command {
  /** Whether it makes sense now. */
  can(model: Model): boolean;
  /** Does it, to the model and to the world. @throws {Violation} */
  run(model: Model, world: World): Promise<void>;
  /** What a person reads in a reproduction. */
  toString(): string;
}

/**
 * Makes a command.
 *
 * @param label What a person reads in a reproduction.
 * @param act Does it. @param can Whether it makes sense.
 */
export function command(
  label: string,
  act: (model: Model, world: World) => Promise<unknown> | undefined,
  can: (model: Model) => boolean = () => true,
): Command {
  return {
    can,
    run: async (model, world) => {
      world.counts.commands += 1;
      world.story.push(label);
      await act(model, world);
      world.agree();
    },
    toString: () => label,
  };
}
