import { expect } from 'vitest';
import { engineOf } from '../../../src/markdown/engine.ts';
import { BlockReader } from '../../../src/markdown/live/block-reader.ts';
import { normalize } from '../../../src/markdown/normalize.ts';
import { chanceFrom, editsOf } from './edits.ts';

/** An edit may swallow all that follows it; a writer takes that back. */
const editsBeforeUndo = 8;

/** After every edit the blocks that were read around it, and those that were kept, are those of a reading that begins anew. */
export function expectSameBlocks(text: string, seed: number, count: number): void {
  const reader = new BlockReader();
  const chance = chanceFrom(seed);
  let before = '';
  const look = (now: string): void => {
    const told = `seed ${seed}; before ${JSON.stringify(before.slice(0, 5_000))}; now ${JSON.stringify(now.slice(0, 5_000))}`;
    const [blocks, anew] = [readWith(reader, now), readWith(new BlockReader(), now)];
    // Compared as text, which is quicker; taken apart only to be told.
    if (blocks !== anew) expect(JSON.parse(blocks), told).toEqual(JSON.parse(anew));
    before = now;
  };
  for (let edit = 0; edit < count; edit += editsBeforeUndo) {
    look(text);
    for (const now of editsOf(text, chance, editsBeforeUndo)) look(now);
  }
  expect(before).not.toBe(text);
}

function readWith(reader: BlockReader, text: string): string {
  const source = normalize(text);
  const engine = engineOf(source);
  const blocks = reader.read(source, engine);
  const { links } = engine.lexer.tokens;
  // Inline text is read into its tokens later; which text waits for them is compared beside them.
  return JSON.stringify({ blocks, links, notes: engine.book.labels }, (_, value) =>
    Array.isArray(value) && reader.runs.has(value) ? [reader.runs.get(value), ...value] : value,
  );
}
