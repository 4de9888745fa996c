import { nextTurn } from '../../event-loop-turns.ts';

const pieceChars = 65_536;

/** Yields pieces of at most `pieceChars`, with at most as many characters in each turn of the event loop. */
export async function* asBytes(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Buffer> {
  let inTurn = 0;
  for await (const text of texts) {
    for (let at = 0; at < text.length; ) {
      const low = text.charCodeAt(at + pieceChars);
      const end = low >= 0xdc00 && low <= 0xdfff ? at + pieceChars + 1 : at + pieceChars;
      const piece = Buffer.from(text.slice(at, end));
      inTurn += piece.length;
      if (inTurn > pieceChars) {
        inTurn = piece.length;
        await nextTurn();
      }
      yield piece;
      at = end;
    }
  }
}
