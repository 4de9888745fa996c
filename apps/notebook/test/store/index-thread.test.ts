import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const at = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** Every file of ours that is loaded with this one; what is only a type is not there at run time. */
function loadedWith(start: string): Set<string> {
  const loaded = new Set<string>();
  const open = [start];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (loaded.has(file) || !existsSync(file)) continue;
    loaded.add(file);
    for (const [statement, path = ''] of readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^;']*'(\.[^']+)';/gm)) {
      if (!/^(?:import|export) type\b/.test(statement)) open.push(resolve(dirname(file), path));
    }
  }
  return loaded;
}

describe('the work of the text index', () => {
  // Whatever takes as long as a text is different: trigrams, full-text tables, what a search asks of them.
  const offThread = [
    'store/search/indexed-text.ts',
    'store/search/sqlite-search-writer.ts',
    'store/search/sqlite-search-reader.ts',
  ].map(at);

  it('is loaded by its thread, and by nothing that runs where requests are answered', () => {
    const [service, worker] = [loadedWith(at('service.ts')), loadedWith(at('store/search/search-worker.ts'))];
    for (const file of ['store/search/search-thread.ts', 'store/search/sqlite-search.ts', 'store/search/postgres-search.ts'])
      expect(service).toContain(at(file));
    for (const file of offThread) {
      expect(worker).toContain(file);
      expect(service).not.toContain(file);
    }
  });
});
