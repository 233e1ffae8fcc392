/** Bytes of the first buffer, and the most that one buffer holds unless a string is longer. */
const MIN_SIZE = 1024;
const MAX_SIZE = 1024 * 1024;
/** The maximum length of a text that is written character by character. */
const MAX_SHORT = 64;
/** How the bytes of a field are to be read (protobuf.dev, "Encoding"). */
const WIRE = { varint: 0, double: 1, delimited: 2 } as const;

/**
 * Writes a protobuf message from its end to its start, so that the length of each part is known when it is
 * needed. Write the fields in reverse order.
 */
export class MessageWriter {
  /** The buffers that are full, the last bytes of the message first. */
  readonly #full: Buffer[] = [];
  #fullLength = 0;
  #buffer = Buffer.allocUnsafe(MIN_SIZE);
  #start = MIN_SIZE;

  /** The number of bytes that are written. */
  get length(): number {
    return this.#fullLength + this.#buffer.length - this.#start;
  }

  /** Makes what was written since `end` a message in a field. @param end An earlier {@link length}. */
  message(field: number, end: number): void {
    this.#number(this.length - end);
    this.#number((field << 3) | WIRE.delimited);
  }

  /** Writes a field that holds a string. Half a character becomes the replacement character. */
  string(field: number, text: string): void {
    const end = this.length;
    if (!this.#writeAscii(text)) {
      this.#reserve(Buffer.byteLength(text));
      this.#buffer.write(text, this.#start);
    }
    this.message(field, end);
  }

  /** Writes a field that holds a number; 0 for -0, as JSON does. */
  double(field: number, value: number): void {
    this.#reserve(8);
    this.#buffer.writeDoubleLE(value + 0, this.#start);
    this.#number((field << 3) | WIRE.double);
  }

  varint(field: number, value: number): void {
    this.#number(value);
    this.#number((field << 3) | WIRE.varint);
  }

  /** Returns the message. */
  finish(): Buffer {
    return Buffer.concat([this.#buffer.subarray(this.#start), ...this.#full.reverse()]);
  }

  /** Writes a short text of nothing but ASCII characters, which is faster than a call of `Buffer`. */
  #writeAscii(text: string): boolean {
    if (text.length > MAX_SHORT) return false;
    this.#reserve(text.length);
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) {
        this.#start += text.length;
        return false;
      }
      this.#buffer[this.#start + index] = code;
    }
    return true;
  }

  /** Writes a varint: 7 bits in each byte, the lowest first. */
  #number(value: number): void {
    if (value <= 0x7f) {
      this.#reserve(1);
      this.#buffer[this.#start] = value;
      return;
    }
    let size = 1;
    for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size += 1;
    this.#reserve(size);
    let rest = value;
    for (let index = 0; index < size; index += 1) {
      const isLast = index === size - 1;
      this.#buffer[this.#start + index] = (rest & 0x7f) | (isLast ? 0 : 0x80);
      rest = Math.floor(rest / 0x80);
    }
  }

  /** Makes room for bytes in front of what is written. */
  #reserve(length: number): void {
    if (length > this.#start) {
      this.#full.push(this.#buffer.subarray(this.#start));
      this.#fullLength += this.#buffer.length - this.#start;
      const size = Math.min(2 * this.#buffer.length, MAX_SIZE);
      this.#buffer = Buffer.allocUnsafe(Math.max(length, size));
      this.#start = this.#buffer.length;
    }
    this.#start -= length;
  }
}
