import { zipSync } from 'fflate';

export interface PackedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Images are already compressed; only text is worth the time. */
const packed = /\.(?:png|jpe?g|gif|webp|avif)$/i;

export function writeZip(files: readonly PackedFile[], changedAt: Date): Uint8Array<ArrayBuffer> {
  const mtime = changedAt.getTime();
  return zipSync(
    Object.fromEntries(files.map(({ path, bytes }) => [path, [bytes, { level: packed.test(path) ? 0 : 6, mtime }]])),
  );
}
