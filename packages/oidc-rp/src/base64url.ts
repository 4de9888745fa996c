// The values of the last character whose unused bits are zero, for two and for three remaining characters.
const lastOfTwo = /[AQgw]$/;
const lastOfThree = /[AEIMQUYcgkosw048]$/;
const alphabet = /^[A-Za-z0-9_-]*$/;

/**
 * Whether the text is base64url in the one form that RFC 7515 §2 allows: no padding, no white space, no `+` or `/`, and
 * no stray bits in the last character. Lenient decoders give many spellings to one token, which defeats replay caches
 * and log searches.
 */
export function isCanonicalBase64url(text: string): boolean {
  const rest = text.length % 4;
  if (rest === 1 || !alphabet.test(text)) return false;
  return rest === 0 || (rest === 2 ? lastOfTwo : lastOfThree).test(text);
}
