import { describe, expect, it } from 'vitest';
import { compareTexts } from './text-diff.ts';

const shown = (earlier: string, present: string) =>
  compareTexts(earlier, present)
    ?.map(({ text, kind }) => (kind === 'gone' ? `[-${text}-]` : kind === 'new' ? `[+${text}+]` : text))
    .join('');

describe('two texts side by side', () => {
  it.each([
    ['one two three', 'one 2 three', 'one [-two-][+2+] three'],
    ['a\nb\n', 'a\nb\nc\n', 'a\nb\n[+c\n+]'],
    ['same', 'same', 'same'],
    ['', 'new', '[+new+]'],
    ['old', '', '[-old-]'],
  ])('%j to %j', (earlier, present, expected) => expect(shown(earlier, present)).toBe(expected));

  it('loses nothing of either text, even when they have nothing in common', () => {
    const earlier = Array.from({ length: 20_000 }, (_, at) => `w${(at * 7919) % 10_007}`).join(' ');
    const present = Array.from({ length: 20_000 }, (_, at) => `v${(at * 104_729) % 9_973}`).join('\n');
    const parts = compareTexts(earlier, present) ?? [
      { text: earlier, kind: 'gone' as const },
      { text: present, kind: 'new' as const },
    ];
    const of = (kind: 'gone' | 'new') =>
      parts
        .filter(part => part.kind === kind || part.kind === 'same')
        .map(part => part.text)
        .join('');
    expect(of('gone')).toBe(earlier);
    expect(of('new')).toBe(present);
  });
});
