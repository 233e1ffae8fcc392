import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { crash, crashCases, inevitableCost } from "../support/crash-case.ts";
import { CAN_FIND_PROCESSES } from "../support/crash-processes.ts";
import { startSweep, type Sweep } from "../support/crash-sweep.ts";

describe.skipIf(!CAN_FIND_PROCESSES)(
  "after kill -9 of CLI and plugin together, `pulumi cancel` and the same operation again converge",
  () => {
    let sweep: Sweep;
    beforeAll(async () => {
      sweep = await startSweep();
    });
    afterAll(() => sweep.dispose());

    it.each(crashCases("both", "after"))("$title", async ({ crashCase }) => {
      expect(await crash(sweep, crashCase)).toEqual(inevitableCost(crashCase));
    });
  },
);
