/**
 * A Partner API on loopback, for demos and for testing programs without an account.
 * @packageDocumentation
 */
export type { IssuedKey, Webhook } from "./account.js";
export type {
  Fault,
  FaultTarget,
  FinFault,
  HangBeforeHeadersFault,
  HangInBodyFault,
  HtmlFault,
  RateLimitFault,
  RedirectFault,
  ReplacingFault,
  ResetFault,
  ResetMidBodyFault,
  SlowFault,
  StatusFault,
  TruncateFault,
} from "./faults.js";
export type { LoggedRequest } from "./log.js";
export type { KeyAlphabet, RateLimit, SandboxOptions, WebhookSeed } from "./options.js";
export { startSandbox, type Sandbox } from "./sandbox.js";
export { SHAPES, type Shape, type ShapeName } from "./shapes.js";
export type { Operation, WebhookState } from "../api/operations.js";
