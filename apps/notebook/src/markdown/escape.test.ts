import { describe, expect, it, vi } from 'vitest';
import { escapeHtml } from './escape.ts';

const byMap = (text: string) =>
  text.replace(/[&<>"]/g, sign => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!);

describe('escapeHtml', () => {
  const long = 70_000;
  it.each([
    ['no sign', 'words '.repeat(long)],
    ['every sign, short', `&&amp;<b class="x">'é→𝄞`],
    ['few signs in a long text', `${'words and more '.repeat(10_000)}&<>"`],
    ['nothing but signs', '&<>"'.repeat(long)],
    ['one sign', '>'.repeat(long)],
    ['signs between letters of several bytes', '\ufeffé<→>𝄞&'.repeat(long)],
  ])('writes each sign as a reference: %s', (_, text) => {
    expect(escapeHtml(text)).toBe(byMap(text));
  });

  it('never replaces a million signs one by one: that takes ten times as long as a walk through the bytes', () => {
    const replaced = vi.spyOn(String.prototype, 'replaceAll');
    escapeHtml('> '.repeat(long));
    expect(replaced).not.toHaveBeenCalled();
    escapeHtml('words, '.repeat(long));
    expect(replaced).toHaveBeenCalled();
    replaced.mockRestore();
  });

  it.each([
    ['more than one character of eight is a sign', 80_000, 10_001, false],
    ['one of eight is', 80_000, 10_000, true],
    ['the text is short of 65,536 characters', 65_535, 65_535, true],
    ['it has as many', 65_536, 65_536, false],
  ])('walks through the bytes of a long text alone, and only where signs are dense: %s', (_, chars, signs, isReplaced) => {
    // A quarter of each sign, from the first character on, so that no single sign is dense.
    const text = '&<>"'
      .repeat(Math.ceil(signs / 4))
      .slice(0, signs)
      .padEnd(chars, 'x');
    const replaced = vi.spyOn(String.prototype, 'replaceAll');
    escapeHtml(text);
    expect(replaced.mock.calls.length > 0).toBe(isReplaced);
    replaced.mockRestore();
  });
});
