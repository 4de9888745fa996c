const here = 'https://here.invalid';
const maxLength = 4096;
/** The page that holds a form while its sender signs in. */
const keptForm = /^\/gate\/resume\?form=[\w-]{32}(?:&page=[^&]*)?$/;
/** The page where an application behind the bridge waits for a person to sign in. */
const application = /^\/gate\/oidc\/interaction\/[\w-]{21,64}$/;

/** Whether an address is lost only because of its length, so that the person must be told. */
export function isTooLongToKeep(value: unknown): boolean {
  return typeof value === 'string' && value.length > maxLength;
}

/**
 * Reads where a person goes after signing in: a path on this site, or undefined. Undefined also for whatever a browser could take
 * for another site (`//evil`, `/\evil`, `https:evil`, control characters), and for our own sign-in pages.
 */
export function readReturnTo(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > maxLength) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (!value.startsWith('/') || /[\\\u0000-\u0020\u007f-\u009f]/.test(value)) return undefined;
  // After removing dot segments the path may begin with two slashes: `/.//evil`, `/..//evil`, `/%2e//evil`.
  if (/^\/(?:\/|(?:\.|%2e){1,2}(?:\/|$))/i.test(value) || /^\/(?:%2f|%5c)/i.test(value)) return undefined;
  if (!URL.canParse(value, here)) return undefined;
  const url = new URL(value, here);
  if (url.origin !== here || url.pathname.startsWith('//') || url.username !== '') return undefined;
  const target = `${url.pathname}${url.search}`;
  if (keptForm.test(target) || application.test(target)) return target;
  // Returning to the sign-in page would loop.
  return /^\/gate(?:\/|$)/i.test(url.pathname) ? undefined : target;
}
