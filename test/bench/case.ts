/** What the bench lets the contenders manage. */
export type Kind = "webhooks" | "keys";

/** The operations that are measured, in their order. `preview` is one in which nothing has changed. */
export const STEPS = ["up", "unchanged up", "preview", "refresh", "destroy"] as const;

/** One of {@link STEPS}. */
export type Step = (typeof STEPS)[number];

/** Those of them that change no resource, and so can be repeated. */
export const READING: readonly Step[] = ["unchanged up", "preview", "refresh"];

/** How often a round repeats them where they take a second or two, and a disturbed machine moves that by as much as is compared. */
export const READS = 3;

/** One situation in which all contenders are measured. */
export interface Case {
  readonly kind: Kind;
  /** How many resources. Every webhook differs from the state that is wanted. */
  readonly count: number;
  /** Milliseconds that the service takes to answer. */
  readonly latency: number;
  /** How often each contender is measured. */
  readonly repetitions: number;
  /** How often the operations that change no resource run in each of these rounds. @default 1 */
  readonly reads?: number;
}

/** What one operation cost. */
export interface Measurement {
  /** Wall time in milliseconds, from the start of the command to its end. */
  readonly ms: number;
  /** Requests that reached the service, by method. */
  readonly requests: Readonly<Record<string, number>>;
  /** The most memory that the plugin process had, in MiB; `null` where it cannot be seen. */
  readonly memory: number | null;
  /** Processor time of the plugin process in milliseconds; `null` where it cannot be seen. */
  readonly cpu: number | null;
  /** The size of the state afterwards, in bytes. */
  readonly stateBytes: number;
}
