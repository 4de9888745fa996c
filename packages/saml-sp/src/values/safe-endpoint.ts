import { misfit, type Reader } from './shape.ts';

/**
 * Whether it is an https address, or http on this same machine, without credentials or fragment. `javascript:` and the like are
 * never safe: they would run in the form that we post.
 * @example isSafeEndpoint('https://idp.example.edu/sso') // true
 */
export function isSafeEndpoint(address: string): boolean {
  if (!URL.canParse(address) || /[\s"'<>\\^`{|}]/.test(address)) return false;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '' || url.hash !== '' || address.includes('#')) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname));
}

export const endpointReader: Reader<string> = (value, path) =>
  typeof value === 'string' && isSafeEndpoint(value) ? value : misfit(path, 'an https address (http only on loopback)', value);
