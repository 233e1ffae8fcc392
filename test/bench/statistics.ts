/** The middle value; of an even number of values the mean of the two in the middle. @throws {RangeError} if there is none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  if (low === undefined || high === undefined) throw new RangeError("There is no median of nothing.");
  return (low + high) / 2;
}
