import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { requireSameSite } from './cross-site.ts';

const refused = (headers: Record<string, string>, setsCookie?: boolean) => {
  const request = { headers: { host: '127.0.0.1:3000', ...headers } } as unknown as FastifyRequest;
  try {
    requireSameSite(request, 'https://notes.example', setsCookie);
    return false;
  } catch {
    return true;
  }
};
const cookie = 'nb_unlock_x=y';

describe('a POST that carries a cookie', () => {
  it.each([
    ['from our own page', { 'sec-fetch-site': 'same-origin', origin: 'https://notes.example' }],
    // The headers that Chromium and Firefox send for a form on a page with Referrer-Policy: no-referrer.
    ['from our own form without a referrer', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
    ['typed or opened from outside a page', { 'sec-fetch-site': 'none' }],
    ['from a program that says nothing', {}],
    ['from our public address', { origin: 'https://notes.example' }],
    ['from the address it was sent to', { origin: 'http://127.0.0.1:3000' }],
    ['from our own form on plain http', { origin: 'null' }],
  ])('%s is taken', (_what, headers) => expect(refused({ cookie, ...headers })).toBe(false));

  it.each([
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['from another site that pretends', { 'sec-fetch-site': 'cross-site', origin: 'https://notes.example' }],
    ['from a sibling domain', { 'sec-fetch-site': 'same-site', origin: 'https://other.example' }],
    ['from an opaque page of another site', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
    ['of an old browser on another site', { origin: 'https://evil.example' }],
    ['from an address that only begins like ours', { origin: 'https://notes.example.evil.example' }],
    ['from our host over another scheme', { origin: 'http://notes.example' }],
    ['with an origin that is no address', { origin: 'nonsense' }],
  ])('%s is refused', (_what, headers) => expect(refused({ cookie, ...headers })).toBe(true));

  it('is told that it is forbidden', () => {
    const headers = { cookie, 'sec-fetch-site': 'cross-site' };
    expect(() => requireSameSite({ headers } as unknown as FastifyRequest, 'https://notes.example')).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    );
  });

  it('is looked at only where there is a cookie to misuse, or to get', () => {
    expect(refused({ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })).toBe(false);
    expect(refused({ 'sec-fetch-site': 'cross-site' }, true)).toBe(true);
    expect(refused({ origin: 'https://evil.example' }, true)).toBe(true);
    expect(refused({ 'sec-fetch-site': 'same-origin', origin: 'null' }, true)).toBe(false);
    expect(refused({}, true)).toBe(false);
  });
});
