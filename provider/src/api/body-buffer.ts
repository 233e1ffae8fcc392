/** Bytes to begin with where the length of a body is not announced. */
const FIRST_CAPACITY = 1024;

/**
 * Gathers a body. Each piece is copied at once into the place that it has in the whole: kept until the end, and joined then,
 * the pieces of a long list would take twice its size. The whole grows by `transfer`, which frees what it outgrows at once.
 */
export class BodyBuffer {
  readonly #limit: number;
  #memory: ArrayBuffer;
  #length = 0;

  /**
   * @param limit Bytes to keep at the most; what comes after them is dropped.
   * @param announced The length in bytes, where the server has announced it; believed no further than `limit`.
   */
  constructor(limit: number, announced = FIRST_CAPACITY) {
    this.#limit = limit;
    this.#memory = new ArrayBuffer(Math.min(limit, announced));
  }

  /** Adds a piece. */
  add(chunk: Buffer): void {
    const length = Math.min(this.#limit, this.#length + chunk.length);
    const capacity = this.#memory.byteLength;
    if (length > capacity) {
      this.#memory = this.#memory.transfer(Math.min(this.#limit, Math.max(length, 2 * capacity)));
    }
    chunk.copy(new Uint8Array(this.#memory), this.#length, 0, length - this.#length);
    this.#length = length;
  }

  /** What has been gathered. */
  get bytes(): Buffer {
    return Buffer.from(this.#memory, 0, this.#length);
  }
}

/** Gives the memory of a body back, which is empty from then on: the garbage collector would come too late for a long one. */
export function release(body: Buffer): void {
  if (body.buffer instanceof ArrayBuffer) body.buffer.transfer(0);
}
