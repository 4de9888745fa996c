import type { ImageType } from '../image.ts';

/** What a reader makes of a file. */
export interface ReadImage {
  readonly type: ImageType;
  /** As it is shown, after its orientation. */
  readonly width: number;
  readonly height: number;
  /** As it is stored, before its orientation: what a decoder will find. */
  readonly storedWidth: number;
  readonly storedHeight: number;
  readonly frames: number;
  /** The file without what tells of its maker: places, cameras, comments, thumbnails. The pixels are untouched. */
  readonly bytes: Uint8Array;
}

interface Found {
  readonly type: ImageType;
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
  readonly frames?: number;
  /** The picture is to be turned by a quarter. */
  readonly turned?: boolean;
}

export function readImage({ type, width, height, bytes, frames = 1, turned = false }: Found): ReadImage {
  const shown = turned ? { width: height, height: width } : { width, height };
  return { type, ...shown, storedWidth: width, storedHeight: height, frames, bytes };
}
