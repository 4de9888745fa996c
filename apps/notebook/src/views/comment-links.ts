export interface TextPart {
  readonly text: string;
  /** Only http and https; absent: plain text. */
  readonly href?: string;
}

const endsSentence = new Set('.,;:!?)]}\'"»…');

/** A loop, because `/[.,;]+$/` backtracks from each character of a run that is followed by text. */
function withoutLastSigns(address: string): string {
  let end = address.length;
  while (end > 0 && endsSentence.has(address[end - 1]!)) end--;
  return address.slice(0, end);
}

/** A comment of 2,000 characters may contain 222 addresses and a page may have 500 comments, which would take half a second to draw. */
const maxLinks = 20;

/** Finds the first addresses in plain text, to make them clickable. Punctuation at the end of a sentence is not part of an address. */
export function findLinks(body: string): TextPart[] {
  const parts: TextPart[] = [];
  let done = 0;
  let links = 0;
  for (const match of body.matchAll(/https?:\/\/[^\s<>"'`]{1,2000}/giu)) {
    if (links === maxLinks) break;
    const address = withoutLastSigns(match[0]);
    if (!URL.canParse(address)) continue;
    if (match.index > done) parts.push({ text: body.slice(done, match.index) });
    parts.push({ text: address, href: address });
    done = match.index + address.length;
    links += 1;
  }
  if (done < body.length) parts.push({ text: body.slice(done) });
  return parts;
}
