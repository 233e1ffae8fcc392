import { expect, it } from "vitest";

import type { ErrorCode } from "../../../provider/src/api/errors.js";
import { page } from "./tables.ts";

/** The type checker ensures that the list is complete. */
const CODES: Readonly<Record<ErrorCode | "PARTNERS_BUG", true>> = {
  PARTNERS_CONFIGURATION: true,
  PARTNERS_CONNECTION: true,
  PARTNERS_TIMEOUT: true,
  PARTNERS_INTERRUPTED: true,
  PARTNERS_STATUS: true,
  PARTNERS_UNREADABLE: true,
  PARTNERS_RESOURCE: true,
  PARTNERS_BUG: true,
};

it("docs/troubleshooting.md has one section per error code", () => {
  const headings = [...page("docs/troubleshooting.md").matchAll(/^## (PARTNERS_\w+)$/gm)];
  expect(headings.map(([, code]) => code)).toEqual(Object.keys(CODES));
});
