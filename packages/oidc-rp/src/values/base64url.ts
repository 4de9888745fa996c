// The characters whose unused bits are zero, for two and for three remaining characters.
const endsOfTwo = 'AQgw';
const endsOfThree = 'AEIMQUYcgkosw048';
const alphabet = /^[\w-]*$/;

/**
 * Whether the text is base64url in the one form that RFC 7515 §2 allows: no padding, no white space, no `+` or `/`, and no stray
 * bits in the last character. Lenient decoders accept many spellings of one token, which defeats replay caches and log searches.
 */
export function isCanonicalBase64url(text: string): boolean {
  return hasCanonicalEnd(text) && alphabet.test(text);
}

/** Whether the length is possible and the last character has no stray bits. The other characters are not checked. */
export function hasCanonicalEnd(text: string): boolean {
  const rest = text.length % 4;
  if (rest === 0) return true;
  return rest !== 1 && (rest === 2 ? endsOfTwo : endsOfThree).includes(text.charAt(text.length - 1));
}
