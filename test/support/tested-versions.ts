/**
 * The lowest version of each that the tests pass with. The ranges in the manifests begin here and a test holds that they do;
 * `npm run test:versions` runs the tests with these, and with the newest there are.
 */
export const LOWEST = {
  /** What undici 8 asks for. */
  node: "22.19.0",
  /** Older ones ignore the inputs that a read returns, and show a drift as an update without a difference. */
  "@pulumi/pulumi": "3.216.0",
  /** Older ones, and all of undici 7 to 7.30.2, repeat a CONNECT without end when a proxy closes the connection. */
  undici: "8.12.4",
  /** The last that the lowest SDK accepts; it takes TypeScript 6 since 3.229.0. */
  typescript: "5.9.3",
} as const;

/** The package managers that the packed package is installed with. */
export const PACKAGE_MANAGERS = ["npm", "pnpm"] as const;
export type PackageManager = (typeof PACKAGE_MANAGERS)[number];
