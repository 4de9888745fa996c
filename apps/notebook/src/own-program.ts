import { existsSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * A program of ours that a thread or process of its own runs: as source beside the module that asks, or beside the bundle that the module became part of.
 *
 * @param name without its ending
 * @param beside `import.meta.url` of the module that asks
 */
export function findOwnProgram(name: string, beside: string): URL {
  const places = [`./${name}.ts`, `./${name}.js`].map(file => new URL(file, beside));
  const found = places.find(url => url.protocol === 'file:' && existsSync(url));
  if (!found) throw new Error(`${name} is missing beside ${beside}`);
  return found;
}

/**
 * Steps back behind others, as far as `nice` counts: on Linux the calling thread alone, elsewhere its process. Never forward: of a service that
 * was started with `nice`, only root may, and whoever else tries is refused.
 */
export function stepBack(niceness: number): void {
  if (getPriority(0) < niceness) setPriority(0, niceness);
}
