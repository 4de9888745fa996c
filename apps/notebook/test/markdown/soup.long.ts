import fc from 'fast-check';
import { parseFragment, serialize } from 'parse5';
import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { forbiddenIn } from './forbidden.ts';
import { xssCorpus } from './xss-corpus.ts';

const minutes = Number(process.env.FUZZ_MINUTES ?? 10);

const tags =
  `a abbr b blockquote br button caption code col dd details div dl dt em form h1 h2 i iframe img input kbd li mark math mglyph mi mtext
  noscript ol option p plaintext pre ruby rt script select span style summary sup svg foreignObject desc title table tbody td template textarea th tr ul
  annotation-xml xmp section`.split(/\s+/);
const attributes = [
  'href="javascript:alert(1)"',
  'href=x',
  'src=x',
  'onerror=alert(1)',
  'onclick="alert(1)"',
  'style="x"',
  'id=a',
  'id="fn-1"',
  'name=body',
  'class="anchor x"',
  'title="</style><img src=x onerror=alert(1)>"',
  'data-line=1',
  'data-mark="line 1"',
  'align=center',
  'srcset="javascript:x 1x"',
  'open',
  'checked',
  'cite="data:x"',
];
const signs = [
  '*',
  '**',
  '_',
  '~~',
  '`',
  '```\n',
  '```js\n',
  '[',
  ']',
  '](',
  '](x)',
  '](javascript:x)',
  '![',
  '(',
  ')',
  '<',
  '>',
  '\n',
  '\n\n',
  '> ',
  '- ',
  '1. ',
  '- [ ] ',
  '# ',
  '---\n',
  '|a|b|\n|-|-|\n|',
  '|',
  '[^1]',
  '\n\n[^1]: ',
  '[^1]: ',
  '> [!NOTE]\n> ',
  'http://a.b',
  'www.a.b',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?',
  '&lt;',
  '&#106;',
  '&colon;',
  '\\',
  '\t',
  '    ',
  '\0',
  '\r',
  '\ud800',
  'a',
  'b c',
  '"',
  "'",
  '=',
  '\u00a0',
  '👩‍👧',
];

const openTag = fc
  .tuple(
    fc.constantFrom(...tags),
    fc.array(fc.constantFrom(...attributes), { maxLength: 3 }),
    fc.constantFrom('>', '>', '>', '/>', ' ', ''),
  )
  .map(([tag, list, end]) => `<${[tag, ...list].join(' ')}${end}`);
const closeTag = fc.constantFrom(...tags).map(tag => `</${tag}>`);
const piece = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...signs) },
  { weight: 4, arbitrary: openTag },
  { weight: 3, arbitrary: closeTag },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom(...xssCorpus.map(({ markdown }) => markdown)) },
);
const soup = fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join(''));

test('soup of markdown and HTML: nothing forbidden, and a second reading changes nothing', () => {
  fc.assert(
    fc.property(soup, fc.boolean(), (markdown, sourceLines) => {
      const { html, plain } = renderMarkdown(markdown, { sourceLines });
      expect(plain).not.toBe('fault');
      expect(forbiddenIn(html, { sourceLines })).toEqual([]);
      expect(serialize(parseFragment(html))).toBe(html);
    }),
    { numRuns: 10_000_000, interruptAfterTimeLimit: minutes * 60_000, markInterruptAsFailure: false },
  );
});
