import { isUtf8 } from "node:buffer";
import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib";

/** A body, as far as it could be decoded. */
export interface DecodedBody {
  /** Secret. */
  readonly body: Buffer;
  /**
   * `cutOff`: the encoded data ends too early. `limit`: decoded, the body is longer than allowed, so it is
   * still encoded.
   */
  readonly end: "whole" | "cutOff" | "limit";
  /** The encoding that the body still has; `unknown` if it cannot be named safely; `null` if it has none. */
  readonly undecoded: string | null;
}

/** A server that compresses a body more often does not compress it. */
const MAX_ENCODINGS = 4;
/** The names of encodings that are safe to print: shorter than a key. */
const PRINTABLE = /^[a-z0-9.-]{1,15}$/;

/**
 * Undoes the encodings that the headers of a response name: some servers encode unasked. Never throws: a body
 * that cannot be decoded stays as it is, because it may contain a key, and the header may be wrong.
 *
 * @param limit The maximum number of bytes of each decoded body.
 */
export function decodeBody(
  received: Buffer,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  limit: number,
): DecodedBody {
  const encodings = [
    ...namesIn(headers["content-encoding"]),
    ...namesIn(headers["transfer-encoding"]).filter((name) => name !== "chunked"),
  ];
  let [body, end]: [Buffer, DecodedBody["end"]] = [received, "whole"];
  if (body.length === 0) return { body, end, undecoded: null };
  if (encodings.length > MAX_ENCODINGS) return { body, end, undecoded: "unknown" };
  for (const name of encodings.toReversed()) {
    const decoded = decode(body, FORMATS.get(name) ?? [], limit);
    if (decoded.end !== "whole") end = decoded.end;
    if (decoded.body === null) return { body, end, undecoded: PRINTABLE.test(name) ? name : "unknown" };
    body = decoded.body;
  }
  return { body, end, undecoded: null };
}

/** Returns the encodings in a header, in the order in which they were applied (RFC 9110, 8.4). */
function namesIn(header: string | string[] | undefined): readonly string[] {
  const names = [header ?? []].flat().flatMap((value) => value.toLowerCase().split(","));
  return names.map((name) => name.trim()).filter((name) => !["", "identity", "none"].includes(name));
}

interface Options {
  readonly maxOutputLength: number;
  readonly info: true;
  readonly finishFlush?: number;
}

interface Format {
  readonly decode: (body: Buffer, options: Options) => Buffer;
  /** The value of `finishFlush` with which it returns what it has at the end of data that was cut off. */
  readonly partial: number;
  /** Whether a checksum proves that the data has this format. Otherwise, it must fill the body. */
  readonly isChecked: boolean;
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = constants;
/** `deflate` is zlib's format (RFC 9110, 8.4.1.2), but some servers omit its header and checksum. */
const ZLIB: readonly Format[] = [
  { decode: gunzipSync, partial: Z_SYNC_FLUSH, isChecked: true },
  { decode: inflateSync, partial: Z_SYNC_FLUSH, isChecked: true },
  { decode: inflateRawSync, partial: Z_SYNC_FLUSH, isChecked: false },
];

/** What a body may be for each name of an encoding. */
const FORMATS: ReadonlyMap<string, readonly Format[]> = new Map([
  ["gzip", ZLIB],
  ["x-gzip", ZLIB],
  ["deflate", ZLIB],
  ["br", [{ decode: brotliDecompressSync, partial: BROTLI_OPERATION_FLUSH, isChecked: false }]],
  ["zstd", [{ decode: zstdDecompressSync, partial: ZSTD_e_flush, isChecked: false }]],
]);

/** Decodes a body with the first format that fits. `body`: `null` if none does, or if it is too long. */
function decode(
  body: Buffer,
  formats: readonly Format[],
  limit: number,
): { readonly body: Buffer | null; readonly end: DecodedBody["end"] } {
  if (isPlainText(body)) return { body: null, end: "whole" };
  const options = { maxOutputLength: limit, info: true } as const;
  let isCutOff = false;
  for (const format of formats) {
    const result = decodeAs(format, body, options);
    if (result === "limit") return { body: null, end: "limit" };
    if (result === "cutOff") isCutOff = true;
    else if (result !== null) return { body: result, end: "whole" };
  }
  if (!isCutOff) return { body: null, end: "whole" };
  for (const format of formats) {
    const result = decodeAs(format, body, { ...options, finishFlush: format.partial });
    if (Buffer.isBuffer(result) && result.length > 0) return { body: result, end: "cutOff" };
  }
  return { body: null, end: "cutOff" };
}

/** Whether a body is text: then the header is wrong. Decoded as raw deflate, `{}` makes another text. */
function isPlainText(body: Buffer): boolean {
  return isUtf8(body) && !/[\0-\x08\x0e-\x1f]/.test(body.toString("utf8"));
}

/** Returns the decoded body; `cutOff` if only its end is missing; `null` if it has another format. */
function decodeAs(
  { decode, isChecked }: Format,
  body: Buffer,
  options: Options,
): Buffer | "cutOff" | "limit" | null {
  try {
    // What the option `info` returns is missing in the types.
    const { buffer, engine } = decode(body, options) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    return isChecked || engine.bytesWritten === body.length ? buffer : null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ERR_BUFFER_TOO_LARGE") return "limit";
    return code === "Z_BUF_ERROR" ? "cutOff" : null;
  }
}
