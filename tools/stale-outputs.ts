import { existsSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Removes what an earlier build made of sources that have moved or gone: the compiler leaves it, and it would be published. */
export function removeStaleOutputs(source: string, output: string): void {
  for (const file of globSync('**/*.{js,d.ts}', { cwd: output })) {
    const name = file.replace(/\.(js|d\.ts)$/, '');
    if (!['.ts', '.tsx'].some(ending => existsSync(join(source, name + ending)))) rmSync(join(output, file));
  }
}

if (import.meta.main) removeStaleOutputs('src', 'dist');
