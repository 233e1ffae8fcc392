import { STEPS } from "./case.ts";
import { GOAL_COUNT } from "./goals.ts";
import type { Results } from "./results.ts";
import { ownMs } from "./sections/profile.ts";
import { findRow } from "./summary.ts";

/** What the profile says of the goals that the latest run missed: at what they would be if our code took no time. */
export function missedText({ findings, goals: [latest] }: Results): string {
  const { webhooks, profile = [] } = findings;
  const parts = STEPS.flatMap((step) => {
    const goal = latest?.goals.find(({ what }) => what === `time of ${step}`);
    const [ours, floor] = ["ours", "floor"].map((contender) =>
      findRow(webhooks?.rows ?? [], { count: GOAL_COUNT, latency: 0, contender, step }),
    );
    const own = ownMs(profile, step);
    if (goal?.met !== false || !ours || !floor || own === null) return [];
    return [`${step} ${((ours.ms - own) / floor.ms).toFixed(2)} (less ${own.toFixed(0)} ms)`];
  });
  if (parts.length === 0) return "";
  return `If our code and undici took no time at all in the plugin, what the latest run missed of the goals beside the floor would be at: ${new Intl.ListFormat("en").format(parts)}.
What is above the limit even so is the engine's and the SDK's; see "Where the time of the plugin goes". How far runs
differ, their columns above show.`;
}
