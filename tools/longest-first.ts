import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { usesFirefox } from './test-kinds.ts';

/**
 * The slowest files come first: the file that a run starts last decides when it ends. Vitest orders by its last run, but a fresh
 * clone has none and would go by size. Only the order depends on this list; an outdated name does no harm.
 */
const longest = [
  'notebook/test/offline/editor',
  'notebook/test/sync/killed',
  'notebook/test/offline/pages',
  'notebook/test/pasting/placeholders',
  'notebook/test/engines/scrolling',
  'notebook/test/autosave/kept-titles',
  'notebook/test/sync/together',
  'notebook/test/views/accessible',
  'notebook/test/views/editor',
  'notebook/test/watchdog/text-endings',
  'notebook/test/sync/refused-saves',
  'notebook/test/sync/no-place',
  'saml-sp/test/oracles',
  'notebook/test/processes',
  'notebook/test/sync/other-browsers',
  'notebook/test/images/upload',
  'notebook/test/engines/sharing',
  'notebook/test/engines/files',
  'notebook/test/markdown/xss-browser',
  'notebook/test/store/killed',
  'tools/documented-commands',
  'saml-sp/test/canonical-form',
  'notebook/test/import/in-browser',
  'notebook/test/views/editor-accessible',
  'notebook/test/sync/bad-line',
  'notebook/test/access/guessing',
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const at = longest.findIndex(name => moduleId.endsWith(`/${name}.test.ts`));
  return at === -1 ? longest.length : at;
};

/** The quick tests come last: they are short, and wait for nothing while others do. */
const isQuick = ({ project }: TestSpecification): number => Number(project.name !== 'whole');

/**
 * Tests that use Firefox come first, one after the other: each worker starts one, and ends it soon after its last such test
 * (`support/firefox.ts`). Kept until the end of the run, it would use the processor all the while.
 */
function isForFirefox({ moduleId }: TestSpecification, known: Map<string, boolean>): number {
  return Number(usesFirefox(moduleId, known));
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const known = new Map<string, boolean>();
    return sorted.sort(
      (a, b) => isQuick(a) - isQuick(b) || isForFirefox(b, known) - isForFirefox(a, known) || placeOf(a) - placeOf(b),
    );
  }
}
