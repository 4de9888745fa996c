import { describe, expect, it } from 'vitest';
import { firstHeading } from '../../src/markdown/heading.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { plainText } from '../../src/operations/plain-text.ts';

/** What a reader sees. */
const asText = (shown: string): string =>
  shown
    .replace(/<[^<>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&#x3C;', '<')
    .replaceAll('&gt;', '>')
    .trim();

const html = (markdown: string): string => renderMarkdown(markdown).html.trim();

describe('a tag whose name no element has', () => {
  it.each([
    'a List<Foo> and a Map<Key,Value>',
    'see <Foo bar="x"> here</Foo>',
    'fn new() -> Vec<u8>',
    'std::vector<std::string>',
    '<my-element>x</my-element> and more',
  ])('is text within a line: %s', line => {
    expect(html(line)).toMatch(/^<p>[^<]*<\/p>$/);
    expect(asText(html(line))).toBe(line);
  });

  it('is text as a block of its own, line by line', () => {
    const shown = html('<module>\n  <name>a</name>\n</module>');
    expect(shown).not.toMatch(/<(?!\/?p>|br>)/);
    expect(shown.split('<br>').map(asText)).toEqual(['<module>', '<name>a</name>', '</module>']);
  });

  it('is text beside tags that are known, which do their work', () => {
    const shown = html('<div>\n<module>\n<kbd>K</kbd>\n</div>');
    expect(shown).toContain('<kbd>K</kbd>');
    expect(shown).toMatch(/(?:&lt;|&#x3C;)module(?:>|&gt;)/);
  });

  it('keeps its case in titles and snippets', () => {
    expect(firstHeading('# A List<Foo> of <b>all</b>')).toBe('A List<Foo> of all');
    expect(plainText('A List<Foo> of <b>all</b>')).toBe('A List<Foo> of all');
  });
});

describe('what the specification removes stays removed', () => {
  it.each([
    '<script>alert(1)</script>',
    '<SCRIPT>alert(1)</SCRIPT>',
    '<style>p { color: red }</style>',
    '<iframe src="https://example.org"></iframe>',
    '<object data="x"></object>',
    '<form action="/x"></form>',
    '<svg><path d="M0 0"/></svg>',
    '<math><mi>x</mi></math>',
  ])('%s', markdown => {
    expect(html(markdown)).not.toMatch(/script|style|iframe|object|form|svg|path|math|mi\b/i);
  });

  it('and the value of an attribute stays one', () => {
    expect(html('<img src="a.png" alt="<foo onerror=x>">')).toMatch(
      /^<p><img [^<>]*alt="&?[^"]*foo onerror=x[^"]*"[^<>]*><\/p>$|^<img [^"]*"[^"]*"[^"]*alt="[^"]*foo onerror=x/,
    );
  });
});
