import { zipSync } from 'fflate';

export interface PackedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Images are already compressed; only text is worth the time. */
const packed = /\.(?:png|jpe?g|gif|webp|avif)$/i;

/** A zip has no other years. Devices whose clock was reset say 1970. */
const [earliest, latest] = [Date.UTC(1980, 0, 2), Date.UTC(2099, 11, 30)];

export function writeZip(files: readonly PackedFile[], changedAt: Date): Uint8Array<ArrayBuffer> {
  const mtime = Math.min(latest, Math.max(earliest, changedAt.getTime()));
  return zipSync(
    Object.fromEntries(files.map(({ path, bytes }) => [path, [bytes, { level: packed.test(path) ? 0 : 6, mtime }]])),
  );
}
