import { expect, it } from 'vitest';
import { createEditToken, editTokenMatches, hashEditToken, isEditToken } from './edit-token.ts';

it('is 32 random bytes as 43 characters', () => {
  const token = createEditToken(size => new Uint8Array(size).fill(255));
  expect(token).toBe(Buffer.alloc(32, 255).toString('base64url'));
  expect(isEditToken(token)).toBe(true);
});

it.each(['', 'T'.repeat(42), 'T'.repeat(44), `${'T'.repeat(42)}+`, `${'T'.repeat(43)}\n`, ` ${'T'.repeat(43)}`])(
  '%j is none',
  text => expect(isEditToken(text)).toBe(false),
);

it('is known by its hash alone', () => {
  const token = 'T'.repeat(43);
  expect(hashEditToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(editTokenMatches(token, hashEditToken(token))).toBe(true);
  expect(editTokenMatches('U'.repeat(43), hashEditToken(token))).toBe(false);
  // A hash cut short by a damaged row: no exception, and no match.
  expect(editTokenMatches(token, hashEditToken(token).slice(0, 62))).toBe(false);
});
