import { type Bytes, refuseUnless } from './bytes.ts';

const sequenceHeader = 1;

/**
 * The largest frame that each of the units' sequence headers allows (AV1 specification, 5.5): the size for which a decoder allocates
 * memory.
 */
export function av1Sizes(data: Bytes): { width: number; height: number }[] {
  const sizes: { width: number; height: number }[] = [];
  for (let at = 0; at < data.length; ) {
    const head = data.u8(at);
    refuseUnless((head & 0x80) === 0, 'has damaged pixels');
    let content = at + (head & 0x04 ? 2 : 1);
    let length = data.length - content;
    if (head & 0x02) ({ value: length, end: content } = leb128(data, content));
    data.at(content, length);
    if (((head >> 3) & 15) === sequenceHeader) sizes.push(readSequence(data, content));
    at = content + length;
  }
  return sizes;
}

function leb128(data: Bytes, start: number): { value: number; end: number } {
  let value = 0;
  for (let byte = 0; byte < 8; byte++) {
    const bits = data.u8(start + byte);
    value += (bits & 0x7f) * 128 ** byte;
    if ((bits & 0x80) === 0) return { value, end: start + byte + 1 };
  }
  refuseUnless(false, 'has an impossible length');
  return { value, end: start };
}

function readSequence(data: Bytes, start: number): { width: number; height: number } {
  let at = 0;
  const read = (count: number) => {
    let value = 0;
    for (let bit = 0; bit < count; bit++, at++) {
      value = value * 2 + ((data.u8(start + (at >> 3)) >> (7 - (at & 7))) & 1);
    }
    return value;
  };
  read(4);
  const isReduced = read(1) === 1;
  if (isReduced) read(5);
  else skipOperatingPoints(read);
  const [widthBits, heightBits] = [read(4) + 1, read(4) + 1];
  return { width: read(widthBits) + 1, height: read(heightBits) + 1 };
}

/** Skips from the timing information to the last operating point. */
function skipOperatingPoints(read: (bits: number) => number): void {
  let delayBits = 0;
  if (read(1)) {
    read(64);
    if (read(1)) skipVariable(read);
    if (read(1)) {
      delayBits = read(5) + 1;
      read(42);
    }
  }
  const hasDisplayDelay = read(1) === 1;
  for (let left = read(5) + 1; left > 0; left--) {
    read(12);
    if (read(5) > 7) read(1);
    if (delayBits > 0 && read(1)) read(2 * delayBits + 1);
    if (hasDisplayDelay && read(1)) read(4);
  }
}

function skipVariable(read: (bits: number) => number): void {
  let zeros = 0;
  while (read(1) === 0) refuseUnless(++zeros < 32, 'has damaged pixels');
  read(zeros);
}
