import { misfit, type Reader, readShape } from './shape.ts';

const nowhere = 'https://here.invalid';
// Browsers read `\` as `/` and drop control characters, so either may hide a second slash.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const deceptive = /[\\\u0000-\u001f\u007f]/;

/** A path on this site. */
export const returnToReader: Reader<string> = (value, path) => {
  const text = typeof value === 'string' ? value : '';
  const parsed = text.startsWith('/') && URL.canParse(text, nowhere) ? new URL(text, nowhere) : undefined;
  // To a browser `/.//evil` is a path, but software on the way that resolves its dots makes it `//evil`.
  const isAnother = text.startsWith('//') || parsed?.origin !== nowhere || parsed.pathname.startsWith('//');
  return !isAnother && !deceptive.test(text) && text.length <= 2048
    ? text
    : misfit(path, 'a path on this site that starts with one slash', value);
};

/**
 * Checks where a person goes after signing in or out: a path on this site, at most 2,048 characters. To a browser, `//evil`,
 * `/\evil` and `https:evil` are addresses of other sites (open redirect).
 * @throws SamlError `SAML_PARAMETER`, because the value usually comes from a URL
 * @example readReturnTo(new URL(request.url).searchParams.get('returnTo') ?? '/')
 */
export const readReturnTo = (value: unknown): string => readShape(value, 'returnTo', returnToReader, 'SAML_PARAMETER');
