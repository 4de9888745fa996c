import path from 'node:path';
import { type MutationPart, mutateParts } from '../../../tools/mutate-parts.ts';

// Mutation testing: `node tools/mutation.ts [part…]`. Databases lie in TMPDIR: a folder in memory spares the waits for a disk.
const parts: Record<string, MutationPart> = {
  store: { sources: ['*', '!postgres'], tests: ['test/sqlite'] },
};

mutateParts(path.join(import.meta.dirname, '..'), parts, process.argv.slice(2));
