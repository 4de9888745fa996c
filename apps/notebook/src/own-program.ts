import { existsSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * A program of ours that runs in its own thread or process: as source beside the module that asks, or beside the bundle that contains the
 * module.
 *
 * @param name without its extension
 * @param beside `import.meta.url` of the module that asks
 */
export function findOwnProgram(name: string, beside: string): URL {
  const places = [`./${name}.ts`, `./${name}.js`].map(file => new URL(file, beside));
  const found = places.find(url => url.protocol === 'file:' && existsSync(url));
  if (!found) throw new Error(`${name} is missing beside ${beside}`);
  return found;
}

/**
 * Lowers the priority, on the scale of `nice`: on Linux for the calling thread alone, elsewhere for its process. It never raises it: in a
 * service that was started with `nice` only root may do that, and anybody else is refused.
 */
export function lowerPriority(niceness: number): void {
  if (getPriority(0) < niceness) setPriority(0, niceness);
}
