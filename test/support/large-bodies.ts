const MIB = 1024 * 1024;

/** Joins items up to a size in bytes. */
function fill(size: number, item: (index: number) => string): string {
  const items: string[] = [];
  for (let length = 0; length < size; length += (items.at(-1)?.length ?? 0) + 1)
    items.push(item(items.length));
  return items.join(",");
}

/** Returns a webhook as services send it, with about 200 characters. */
export function webhookRecord(id: number): string {
  const url = `https://hooks.example.com/orders/${id}`;
  const events = ["order.created", "order.updated"];
  const record = {
    id,
    url,
    description: `orders ${id}`,
    active: id % 2 === 0,
    events,
    createdAt: "2026-01-02T03:04:05Z",
  };
  return JSON.stringify({ ...record, signingSecret: null, failures: 0 });
}

const name = (index: number): string => index.toString(36).padStart(4, "0");

/** Bodies of a size in MiB, each a way to take much memory for little text. */
export const LARGE_BODIES: Readonly<Record<string, (size: number) => string>> = {
  numbers: (size) => `[${"1,".repeat((size * MIB) / 2 - 1)}1]`,
  "empty objects": (size) => `[${"{},".repeat((size * MIB) / 3 - 1)}{}]`,
  "empty arrays": (size) => `[${"[],".repeat((size * MIB) / 3 - 1)}[]]`,
  "nested arrays": (size) => "[".repeat((size * MIB) / 2) + "]".repeat((size * MIB) / 2),
  "nested objects": (size) => `${'{"a":'.repeat((size * MIB) / 6)}1${"}".repeat((size * MIB) / 6)}`,
  members: (size) => `{${fill(size * MIB, (index) => `"${name(index)}":1`)}}`,
  "objects with a name each": (size) => `[${fill(size * MIB, (index) => `{"${name(index)}":1}`)}]`,
  "small objects": (size) => `[${fill(size * MIB, (index) => `{"id":${index + 1}}`)}]`,
  "a long object": (size) => `[{"id":1,"events":[${"1,".repeat((size * MIB) / 2)}1]}]`,
  "objects next to the list": (size) =>
    `{"webhooks":[],"logs":[${fill(size * MIB, (index) => `{"a":${index}}`)}]}`,
  "a long string": (size) => `[{"id":1,"note":"${"x".repeat(size * MIB)}"}]`,
  "a long string that is not ASCII": (size) => `[{"id":1,"note":"${"é€".repeat((size * MIB) / 5)}"}]`,
  "an escaped string": (size) => `[{"id":1,"note":"${"\\n".repeat((size * MIB) / 2)}"}]`,
  "long strings": (size) =>
    `[${fill(size * MIB, (index) => `{"id":${index + 1},"note":"${"x".repeat(4000)}"}`)}]`,
  webhooks: (size) => `[${fill(size * MIB, (index) => webhookRecord(index + 1))}]`,
};
