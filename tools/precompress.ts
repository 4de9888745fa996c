import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { copyFile, readFile, rename, writeFile } from 'node:fs/promises';
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
      if (!existsSync(known)) {
        // Another build may read it at the same time.
        const written = `${known}.${process.pid}`;
        await writeFile(written, await compress(bytes));
        await rename(written, known);
      }
      await copyFile(known, `${path}.${ending}`);
    }
  };
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    entry => entry.isFile() && /\.(js|css|svg|json|txt|webmanifest)$/.test(entry.name) && !entry.parentPath.includes('.vite'),
  );
  await Promise.all(files.map(({ parentPath, name }) => compressFile(join(parentPath, name))));
  for (const name of readdirSync(kept)) if (!used.has(name)) rmSync(join(kept, name), { force: true });
}
