const pieceChars = 32_768;

/** Splits rendered HTML before a `<`. This never cuts a tag, because tags contain no `<`. */
export function* htmlPieces(html: string): Generator<string> {
  for (let at = 0; at < html.length; ) {
    const next = html.indexOf('<', at + pieceChars);
    const end = next === -1 ? html.length : next;
    yield html.slice(at, end);
    at = end;
  }
}
