import { mergeParts } from './merge-texts.ts';
import { applyHunks, findHunks } from './text-hunks.ts';

/** Plain words that a writer understands and can delete, instead of merge markers. */
const words = {
  mine: '**Two versions of this part. Yours:**',
  theirs: '**The other:**',
  end: '**End of the two versions.**',
};

/**
 * Makes one text with everything from both. A change by one side is taken; a part changed by both appears twice, one below the other.
 * @param base undefined when it is no longer known; then the lines that both have in common serve as the base
 */
export function keepBoth(base: string | undefined, mine: string, theirs: string): string {
  const parts = mergeParts(base ?? commonLines(mine, theirs), mine, theirs);
  const lines = parts.flatMap(part => (part.kind === 'merged' ? part.lines : twoVersions(part.mine, part.theirs)));
  return lines.join('\n');
}

function twoVersions(mine: readonly string[], theirs: readonly string[]): readonly string[] {
  // One side deleted what the other changed: the remaining words need no headings.
  if (isBlank(mine)) return theirs;
  if (isBlank(theirs)) return mine;
  return ['', words.mine, '', ...mine, '', words.theirs, '', ...theirs, '', words.end, ''];
}

const isBlank = (lines: readonly string[]) => lines.every(line => line.trim() === '');

function commonLines(one: string, other: string): string {
  const lines = one.split('\n');
  const gone = findHunks(lines, other.split('\n')).map(hunk => ({ ...hunk, insert: [] }));
  return applyHunks(lines, gone, 0, lines.length).join('\n');
}
