import { expect, it } from 'vitest';
import { directionOf } from './text-direction.ts';

it.each([
  ['', 'ltr'],
  ['# English, then עברית', 'ltr'],
  ['# 1. عربي, then English', 'rtl'],
  ['> «עברית»', 'rtl'],
  ['12 + 3\n\n---\n', 'ltr'],
  [`${'-\n'.repeat(4_999)}ע`, 'rtl'],
  // No key may look through a megabyte.
  [`${'-\n'.repeat(5_000)}ע`, 'ltr'],
])('%j begins from its side', (text, direction) => expect(directionOf(text)).toBe(direction));
