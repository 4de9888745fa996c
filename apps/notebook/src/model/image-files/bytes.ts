/** The reason why a file is refused, as the end of a sentence that begins with "The file". */
export class BadImage extends Error {
  override readonly name = 'BadImage';
}

export function refuseUnless(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new BadImage(reason);
}

/** Untrusted bytes: reading outside them means a cut-off file, never a zero. */
export class Bytes {
  readonly all: Uint8Array;
  readonly #view: DataView;

  constructor(all: Uint8Array) {
    this.all = all;
    this.#view = new DataView(all.buffer, all.byteOffset, all.byteLength);
  }

  get length(): number {
    return this.all.length;
  }

  /** @throws BadImage when less than `length` bytes follow */
  at(offset: number, length: number): number {
    refuseUnless(offset >= 0 && length >= 0 && offset + length <= this.all.length, 'is cut off');
    return offset;
  }

  /** Files may be padded with zeros, to a round length for instance; anything else after the end could be another file. @throws BadImage */
  requireEnd(offset: number): void {
    const follows = this.all.subarray(offset).some(byte => byte !== 0);
    refuseUnless(!follows, 'goes on after its end');
  }

  u8(offset: number): number {
    return this.#view.getUint8(this.at(offset, 1));
  }
  u16(offset: number): number {
    return this.#view.getUint16(this.at(offset, 2));
  }
  u32(offset: number): number {
    return this.#view.getUint32(this.at(offset, 4));
  }
  u16le(offset: number): number {
    return this.#view.getUint16(this.at(offset, 2), true);
  }
  u24le(offset: number): number {
    return this.u16le(offset) | (this.u8(offset + 2) << 16);
  }
  u32le(offset: number): number {
    return this.#view.getUint32(this.at(offset, 4), true);
  }

  /** A big-endian number of `size` bytes; 0 bytes are 0. */
  uint(offset: number, size: number): number {
    let value = 0;
    for (let byte = 0; byte < size; byte++) value = value * 256 + this.u8(offset + byte);
    refuseUnless(value <= Number.MAX_SAFE_INTEGER, 'has an impossible length');
    return value;
  }

  slice(offset: number, length: number): Uint8Array {
    return this.all.subarray(this.at(offset, length), offset + length);
  }

  /** Latin-1. */
  text(offset: number, length: number): string {
    return String.fromCharCode(...this.slice(offset, length));
  }

  startsWith(offset: number, text: string): boolean {
    return offset + text.length <= this.length && this.text(offset, text.length) === text;
  }
}

/** Reads consecutive numbers. */
export function numbersFrom(bytes: Bytes, start: number): (size: number) => number {
  let at = start;
  return size => {
    const value = bytes.uint(at, size);
    at += size;
    return value;
  };
}

export function textBytes(text: string): Uint8Array {
  return Uint8Array.from(text, char => char.charCodeAt(0));
}
