import { describe, expect, it } from 'vitest';
import { asBytes } from './text-bytes.ts';

const pieceChars = 65_536;

async function piecesOf(...texts: string[]): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const piece of asBytes(texts)) pieces.push(piece);
  return pieces;
}

describe('texts as bytes', () => {
  it.each([
    ['a pair across the cut', `x${'🗓'.repeat(pieceChars)}`],
    ['the first pair there is', `x${'\u{10000}'.repeat(pieceChars)}`],
    ['the last of the first plane beyond', `x${'\u{103ff}'.repeat(pieceChars)}`],
    ['no pair', 'é予'.repeat(pieceChars)],
  ])('are whole: %s', async (_, text) => {
    expect(Buffer.concat(await piecesOf('', text, 'end')).equals(Buffer.from(`${text}end`))).toBe(true);
  });

  it('come in pieces of a length, and of a character more where a pair is kept together', async () => {
    const lengths = async (text: string) => (await piecesOf(text)).map(piece => piece.toString().length);
    expect(await lengths('')).toEqual([]);
    expect(await lengths('x'.repeat(2 * pieceChars))).toEqual([pieceChars, pieceChars]);
    expect(await lengths(`${'x'.repeat(pieceChars)}\uff01`)).toEqual([pieceChars, 1]);
    expect(await lengths(`x${'🗓'.repeat(pieceChars / 2)}`)).toEqual([pieceChars + 1]);
  });

  it('have so many bytes in one turn of the event loop', async () => {
    let turn = 0;
    let isMaking = true;
    const count = (): void => {
      turn += 1;
      if (isMaking) setImmediate(count);
    };
    setImmediate(count);
    const turns: number[] = [];
    for await (const _ of asBytes(Array.from({ length: 6 }, () => 'x'.repeat(pieceChars / 2)))) turns.push(turn);
    isMaking = false;
    expect(turns).toEqual([0, 0, 1, 1, 2, 2]);
  });
});
