import { BadImage, Bytes } from './bytes.ts';

/** EXIF's 1 to 8; from 5 on, the picture is rotated by a quarter turn. */
export type Orientation = number;

export function isTurned(orientation: Orientation): boolean {
  return orientation >= 5;
}

const orientationTag = 0x0112;
const shortType = 3;

/**
 * Reads the orientation from a TIFF structure, as in EXIF. An unreadable structure has none: browsers show such a picture as it is stored.
 */
export function readOrientation(exif: Uint8Array): Orientation {
  try {
    return findOrientation(new Bytes(exif)) ?? 1;
  } catch (error) {
    if (error instanceof BadImage) return 1;
    throw error;
  }
}

function findOrientation(bytes: Bytes): Orientation | undefined {
  const little = bytes.startsWith(0, 'II*\0');
  if (!little && !bytes.startsWith(0, 'MM\0*')) return undefined;
  const u16 = (at: number) => (little ? bytes.u16le(at) : bytes.u16(at));
  const u32 = (at: number) => (little ? bytes.u32le(at) : bytes.u32(at));
  const start = u32(4);
  for (let entry = 0; entry < u16(start); entry++) {
    const at = start + 2 + entry * 12;
    if (u16(at) !== orientationTag) continue;
    const value = u16(at + 8);
    return u16(at + 2) === shortType && u32(at + 4) === 1 && value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}

/** EXIF with the orientation and nothing else; undefined when the picture needs no rotation. */
export function orientationOnly(orientation: Orientation): Uint8Array | undefined {
  if (orientation === 1) return undefined;
  return Uint8Array.of(
    ...[0x4d, 0x4d, 0, 42, 0, 0, 0, 8],
    ...[0, 1],
    ...[orientationTag >> 8, orientationTag & 0xff, 0, shortType, 0, 0, 0, 1, 0, orientation, 0, 0],
    ...[0, 0, 0, 0],
  );
}
