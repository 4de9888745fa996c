import { mergeParts } from './merge-texts.ts';
import { applyHunks, findHunks } from './text-hunks.ts';

/** Plain words a writer understands and can delete; no signs of a program. */
const words = {
  mine: '**Two versions of this part. Yours:**',
  theirs: '**The other:**',
  end: '**End of the two versions.**',
};

/**
 * One text with everything of both: what one side changed is taken, what both changed stands twice, one below the other.
 * @param base undefined when nobody knows it any more; then the lines that both have stand for it
 */
export function keepBoth(base: string | undefined, mine: string, theirs: string): string {
  const parts = mergeParts(base ?? commonLines(mine, theirs), mine, theirs);
  const lines = parts.flatMap(part => (part.kind === 'merged' ? part.lines : twoVersions(part.mine, part.theirs)));
  return lines.join('\n');
}

function twoVersions(mine: readonly string[], theirs: readonly string[]): readonly string[] {
  // One side deleted what the other changed: the words that are left need no frame.
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
