export interface TextPart {
  readonly text: string;
  /** Only http and https; absent: plain text. */
  readonly href?: string;
}

const endsSentence = new Set('.,;:!?)]}\'"»…');

/** A loop, because `/[.,;]+$/` tries again from each sign of a run that something follows. */
function withoutLastSigns(address: string): string {
  let end = address.length;
  while (end > 0 && endsSentence.has(address[end - 1]!)) end--;
  return address.slice(0, end);
}

/** A comment of 2,000 characters may be 222 addresses and a page may have 500 comments, which would be drawn for half a second. */
const mostLinks = 20;

/** Addresses in plain text, to be made clickable: the first ones. Punctuation that ends a sentence is not part of one. */
export function findLinks(body: string): TextPart[] {
  const parts: TextPart[] = [];
  let done = 0;
  let links = 0;
  for (const match of body.matchAll(/https?:\/\/[^\s<>"'`]{1,2000}/giu)) {
    if (links === mostLinks) break;
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
