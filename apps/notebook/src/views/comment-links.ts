export interface TextPart {
  readonly text: string;
  /** Only http and https; absent: plain text. */
  readonly href?: string;
}

/** Addresses in plain text, to be made clickable. Punctuation that ends a sentence is not part of one. */
export function findLinks(body: string): TextPart[] {
  const parts: TextPart[] = [];
  let done = 0;
  for (const match of body.matchAll(/https?:\/\/[^\s<>"'`]{1,2000}/giu)) {
    const address = match[0].replace(/[.,;:!?)\]}'"»…]+$/u, '');
    if (!URL.canParse(address)) continue;
    if (match.index > done) parts.push({ text: body.slice(done, match.index) });
    parts.push({ text: address, href: address });
    done = match.index + address.length;
  }
  if (done < body.length) parts.push({ text: body.slice(done) });
  return parts;
}
