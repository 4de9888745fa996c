import type { ImageType } from '../image.ts';

/** The result of reading a file. */
export interface ReadImage {
  readonly type: ImageType;
  /** The size as shown, after the orientation is applied. */
  readonly width: number;
  readonly height: number;
  /** The size as stored, before the orientation is applied: the size that a decoder finds. */
  readonly storedWidth: number;
  readonly storedHeight: number;
  readonly frames: number;
  /** The file without data about its maker: places, cameras, comments, thumbnails. The pixels are unchanged. */
  readonly bytes: Uint8Array;
}

interface Found {
  readonly type: ImageType;
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
  readonly frames?: number;
  /** The picture must be rotated by a quarter turn. */
  readonly turned?: boolean;
}

export function readImage({ type, width, height, bytes, frames = 1, turned = false }: Found): ReadImage {
  const shown = turned ? { width: height, height: width } : { width, height };
  return { type, ...shown, storedWidth: width, storedHeight: height, frames, bytes };
}
