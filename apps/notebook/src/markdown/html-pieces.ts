const pieceChars = 32_768;

/** A long rendered text in pieces, none of which cuts a tag: inside a tag no `<` stands. */
export function* htmlPieces(html: string): Generator<string> {
  for (let at = 0; at < html.length; ) {
    const next = html.indexOf('<', at + pieceChars);
    const end = next === -1 ? html.length : next;
    yield html.slice(at, end);
    at = end;
  }
}
