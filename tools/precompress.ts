import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const { brotli, zlib } = process.versions;
/** A coding's file ending, what decides its bytes, and how they are made. */
const codings = [
  {
    ending: 'br',
    kind: `brotli-${brotli}-11`,
    compress: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  },
  { ending: 'gz', kind: `zlib-${zlib}-9`, compress: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }) },
] as const;

/** Whole or not at all. Another build may be forgetting it at the same time, and then compresses it again. */
async function keep(path: string, packed: Uint8Array): Promise<void> {
  const written = `${path}.${process.pid}`;
  await writeFile(written, packed);
  await rename(written, path).catch(() => {});
}

/**
 * Compresses every text of a folder, so that no request waits for it. That takes half the processor time of a build, and most files are
 * as they were, so `kept` holds what the last build compressed, under the hashes of the bytes.
 */
export async function precompress(folder: string, kept: string): Promise<void> {
  mkdirSync(kept, { recursive: true });
  const used = new Set<string>();
  const compressFile = async (path: string) => {
    const bytes = await readFile(path);
    if (bytes.length < 1_024) return;
    const hash = createHash('sha256').update(bytes).digest('hex');
    for (const { ending, kind, compress } of codings) {
      const name = `${hash}-${kind}`;
      used.add(name);
      const known = join(kept, name);
      let packed = await readFile(known).catch(() => undefined);
      if (!packed) {
        packed = await compress(bytes);
        await keep(known, packed);
      }
      await writeFile(`${path}.${ending}`, packed);
    }
  };
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    entry => entry.isFile() && /\.(js|css|svg|json|txt|webmanifest)$/.test(entry.name) && !entry.parentPath.includes('.vite'),
  );
  await Promise.all(files.map(({ parentPath, name }) => compressFile(join(parentPath, name))));
  for (const name of readdirSync(kept)) if (!used.has(name)) rmSync(join(kept, name), { force: true });
}
