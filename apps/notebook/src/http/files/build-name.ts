import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from '../../views/props.ts';

/** The sources that decide how a page looks. */
const drawing = ['views', 'images', 'markdown', 'model', 'routes', 'urls.ts', 'limits.ts'];

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(?:js|tsx?)$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .sort();
}

let program: string | undefined;

/** A digest of the program's code: of all files when built, of the drawing files when run from source. */
function digestProgram(): string {
  if (program !== undefined) return program;
  const { dirname, filename } = import.meta;
  const sources = join(dirname, '../..');
  const files = filename.endsWith('.ts')
    ? filesOf(sources).filter(path => drawing.some(part => path.startsWith(join(sources, part))))
    : filesOf(dirname);
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  program = hash.digest('base64url');
  return program;
}

/**
 * Names everything besides the notebook that a page's bytes depend on: the engine, the program and the settings that pages show. Pages kept
 * under another name are no longer shown.
 */
export function nameBuild(engine: string, site: Site): string {
  const named = JSON.stringify([
    engine,
    digestProgram(),
    site.publicUrl,
    site.imageOrigin ?? null,
    site.offline ?? false,
    site.assets,
  ]);
  return createHash('sha256').update(named).digest('base64url').slice(0, 22);
}
