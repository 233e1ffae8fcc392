import type { Properties } from "./boundary.js";
import { keyInputs } from "./key-inputs.js";
import { dayOf, dayText } from "./rotation-days.js";

/**
 * Inputs that `check` adds so that a preview can show why a key is rotated: since when there has been the present key, and
 * when it falls due, as days. They decide nothing: `check` sees old inputs only, and what is in state may know better.
 */
export interface KeyStamps {
  /** Left out for a key that an older version made: nobody knows here. */
  readonly keySince?: string;
  readonly rotationDue?: string;
}

/** @param olds The inputs in state; empty for a new resource, and for one that is replaced. @param today From `dayOf`. */
export function stamps(olds: Properties, news: Properties, today: number): KeyStamps {
  const { rotation, existingApiKey } = keyInputs(news);
  const before = keyInputs(olds);
  const isNew = olds["account"] === undefined;
  const triggered = rotation.trigger != null && rotation.trigger !== before.rotation.trigger;
  const adopts = existingApiKey !== null && existingApiKey !== before.existingApiKey;
  const afterDays = typeof rotation.afterDays === "number" ? rotation.afterDays : null;

  const known = typeof olds["keySince"] === "string" ? dayOf(Date.parse(olds["keySince"])) : NaN;
  const due = afterDays !== null && known + afterDays <= today;
  const since = isNew || triggered || adopts || due ? today : known;
  if (Number.isNaN(since)) return {};
  return {
    keySince: dayText(since),
    ...(afterDays !== null && { rotationDue: dayText(since + afterDays) }),
  };
}
