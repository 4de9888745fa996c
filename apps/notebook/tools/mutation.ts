import path from 'node:path';
import { type MutationPart, mutateParts } from '../../../tools/mutate-parts.ts';

// Mutation testing part by part: `node tools/mutation.ts [part…]`. Tests that start the service need `npm run build` before.
const operations = (...names: string[]): string[] => names.map(name => `operations/${name}`);

const parts: Record<string, MutationPart> = {
  model: { sources: ['model/*', '!model/image-type'], tests: ['src/model/*'] },
  images: { sources: ['model/image-type', 'model/image-files/*'], tests: ['src/model/image-type', 'src/model/image-files/*'] },
  access: {
    sources: operations('require-access', 'unlock-notebook', 'open-once', 'passwords', 'slow-guesses', 'require-rate-slot'),
    tests: [
      'src/operations/passwords',
      ...['unlock', 'open-once', 'open-editing', 'write-limits'].map(name => `test/access/${name}`),
    ],
  },
  writing: {
    sources: operations(
      ...['create-notebook', 'change-page', 'add-page', 'delete-page', 'delete-notebook', 'change-settings', 'rotate-edit-token'],
      ...['check-slug', 'read-notebook-input', 'quick-paste', 'comments', 'page-snapshots', 'report-notebook', 'refused-write'],
    ),
    tests: [
      ...['life-of-a-notebook', 'bad-input', 'quick-paste', 'too-large', 'notebook-too-large'].map(name => `test/api/${name}`),
      ...['open-editing', 'comments', 'write-limits'].map(name => `test/access/${name}`),
      'test/reports/reports',
    ],
  },
  reading: {
    sources: operations(
      'read-notebook',
      'view-notebook',
      'render-page',
      'aim-links',
      'list-links',
      'list-page-files',
      'size-images',
    ),
    tests: [
      ...['large-notebooks', 'markdown-pieces', 'shown-plain', 'life-of-a-notebook'].map(name => `test/api/${name}`),
      ...['test/access/page-files', 'test/import/links', 'test/access/comments'],
    ],
  },
  // Not plain-text.ts: one change that Stryker makes of its expressions is none that Node can read.
  snippets: { sources: operations('snippet'), tests: ['src/operations/snippet'] },
  searching: {
    sources: operations('search-notebooks', 'find-in-notebook', 'list-notebooks', 'event-loop-turns'),
    tests: ['test/search/search-api', 'test/search/find', 'test/search/feeds'],
  },
  guards: {
    sources: operations('clock-watch', 'purge-guarded', 'fair-pool', 'delete-queued-objects'),
    tests: ['clock-watch', 'purge-guarded', 'fair-pool', 'delete-queued-objects'].map(name => `src/operations/${name}`),
  },
  upkeep: {
    sources: operations('purge-expired', 'sweep-orphan-images'),
    tests: ['src/operations/purge-guarded', 'test/jobs/purge', 'test/objects/sweep'],
  },
};

/** There is no database server; a hundred openings for every mutant would take hours. */
const wordsLeftOut = ['PostgreSQL', '100 times', 'races th', 'shown plain for a moment'];

/** Takes seconds, and knows nothing but images. */
const leftOut = (part: string): string[] => (part === 'model' ? ['src/model/image-type'] : []);

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
  const part = parts[name];
  mutateParts(path.join(import.meta.dirname, '..'), part ? { [name]: { ...part, wordsLeftOut } } : parts, [name], leftOut(name));
}
