import { OidcError } from '../errors.ts';

const nowhere = 'https://here.invalid';
// Browsers read `\` as `/` and drop control characters, so either may hide a second slash.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const deceptive = /[\\\u0000-\u001f\u007f]/;

/**
 * Reads where a person goes after sign-in or sign-out: a path on this site. To a browser, `//evil`, `/\evil` and `https:evil` are
 * addresses of other sites (open redirect).
 *
 * @example
 * ```ts
 * readReturnTo('/n/abc'); // '/n/abc'
 * readReturnTo('//evil.example'); // throws
 * ```
 * @throws {@link OidcError} `OIDC_CONFIG_INVALID`
 */
export function readReturnTo(value: unknown, check = 'returnTo'): string {
  const path = typeof value === 'string' ? value : '';
  const parsed = path.startsWith('/') && URL.canParse(path, nowhere) ? new URL(path, nowhere) : undefined;
  // To a browser `/.//evil` is a path, but software on the way that resolves its dots makes it `//evil`.
  if (
    parsed?.origin !== nowhere ||
    path.startsWith('//') ||
    parsed.pathname.startsWith('//') ||
    deceptive.test(path) ||
    path.length > 2048
  ) {
    throw new OidcError('OIDC_CONFIG_INVALID', {
      check,
      expected: 'a path on this site that starts with one slash',
    });
  }
  return path;
}
