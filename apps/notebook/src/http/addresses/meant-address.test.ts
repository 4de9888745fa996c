import { expect, it } from 'vitest';
import { formPage, meantAddress, meantSlug } from './meant-address.ts';

it.each([
  ['/n/Field-Guide', '/n/field-guide'],
  ['/N/field-guide', '/n/field-guide'],
  ['/n/field-guide/', '/n/field-guide'],
  ['/n/Field-Guide//?slides#Birds', '/n/field-guide?slides#Birds'],
  ['/n/FIELD-GUIDE.md', '/n/field-guide.md'],
  ['/n/Field-Guide/p/Weekly-Plan', '/n/field-guide/p/Weekly-Plan'],
  ['/quick/', '/quick'],
  ['/search/?q=A', '/search?q=A'],
  ['/e/AbC/', '/e/AbC'],
  ['/n/field-guide', undefined],
  ['/n/field-guide%2Fprint', undefined],
  ['/n/Field-Guide%2Fprint', undefined],
  ['/n/field-guide?A=B/', undefined],
  ['/e/AbC', undefined],
  ['/assets/reader-AbCd.js/', undefined],
  ['/assets.js/reader/', '/assets.js/reader'],
  ['/', undefined],
  ['//evil.example/', undefined],
  ['/\\evil.example/', undefined],
  ['//evil.example/away/', undefined],
  ['/\\evil.example/away/', undefined],
  ['/assets/n/Field-Guide', undefined],
])('%s was meant as %s', (url, meant) => expect(meantAddress(url)).toBe(meant));

it.each([
  ['/n/Field-Guide/p/?a=B', '/n/field-guide/p/?a=B'],
  ['/n/field-guide/', undefined],
  ['/n/field-guide?A', undefined],
  ['/e/AbC', undefined],
])('the slug of %s was meant as in %s', (url, meant) => expect(meantSlug(url)).toBe(meant));

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

it.each([
  ['/api/notebooks/a-slug/unlock', browser, '/n/a-slug'],
  ['/api/notebooks/a-slug/open', browser, '/n/a-slug'],
  ['/api/notebooks/a-slug/reports', browser, '/n/a-slug/report'],
  ['/api/notebooks/a-slug/token', browser, undefined],
  ['/api/notebooks/a/b/unlock', browser, undefined],
  ['/x/api/notebooks/a-slug/unlock', browser, undefined],
  ['/api/notebooks/a-slug/unlocked', browser, undefined],
  ['/api/notebooks/a-slug/unlock', { accept: '*/*' }, undefined],
  ['/api/notebooks/a-slug/unlock', {}, undefined],
])('the form at %s is on %s', (path, headers, page) => expect(formPage(path, headers)).toBe(page));
