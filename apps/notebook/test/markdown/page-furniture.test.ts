import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { languages } from '../../src/markdown/steps/highlight.ts';

const html = (markdown: string) => renderMarkdown(markdown).html;

/** Every `href="#x"` that has no `id="x"`, and every id that is there twice. */
function brokenAims(page: string): string[] {
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(found => found[1]!);
  const aims = [...page.matchAll(/ (?:href="#|aria-describedby=")([^"]*)"/g)].map(found => found[1]!);
  return [...aims.filter(aim => !ids.includes(aim)), ...ids.filter((id, index) => ids.indexOf(id) !== index)];
}

describe('headings', () => {
  test('have a prefixed id, an anchor, and a place in the index', () => {
    const rendered = renderMarkdown('# Über *die* `Zeit`!\n\n### 日本語 見出し');
    expect(rendered.headings).toEqual([
      { depth: 1, id: 'user-content-über-die-zeit', text: 'Über die Zeit!' },
      { depth: 3, id: 'user-content-日本語-見出し', text: '日本語 見出し' },
    ]);
    expect(rendered.html).toContain(
      '<h1 id="user-content-über-die-zeit"><a class="anchor" href="#user-content-über-die-zeit" aria-hidden="true" tabindex="-1"></a>Über',
    );
    expect(brokenAims(rendered.html)).toEqual([]);
  });

  test('of equal text get different ids', () => {
    expect(renderMarkdown('# a\n# a\n# a-1\n# a').headings.map(({ id }) => id)).toEqual([
      'user-content-a',
      'user-content-a-1',
      'user-content-a-1-1',
      'user-content-a-2',
    ]);
  });

  test('that are long have short ids, which cut no character', () => {
    const ids = (text: string) => renderMarkdown(`# ${text}`).headings.map(({ id }) => id);
    expect(ids('a'.repeat(200))).toEqual([`user-content-${'a'.repeat(120)}`]);
    expect(ids(`${'a'.repeat(119)}𠀀b`)).toEqual([`user-content-${'a'.repeat(119)}`]);
  });

  test('without letters, or written as HTML, are headings too', () => {
    expect(renderMarkdown('# !!!\n\n<h2 id="own">b</h2>').headings.map(({ id }) => id)).toEqual([
      'user-content-section',
      'user-content-own',
    ]);
  });

  test('inside a link get no anchor: links do not nest', () => {
    const page = html('<div>\n<a href="x"><h2>b</h2></a>\n</div>');
    expect(page).toBe('<div>\n<a href="x" rel="nofollow ugc noopener noreferrer"><h2 id="user-content-b">b</h2></a>\n</div>\n');
  });
});

describe('links within the page', () => {
  test('are aimed at the prefixed id, once', () => {
    const page = html('[a](#the-end) [b](#user-content-the-end) [c](#The%2Dend) [d](#nowhere)\n\n# The end');
    expect(page.match(/href="#user-content-the-end"/g)).toHaveLength(4);
    expect(page).toContain('href="#nowhere"');
  });

  test('that name the prefix of views are aimed at the prefix of print, too', () => {
    const text = '[a](#the-end) [b](#user-content-the-end) [c](#user-content-The-End) [d](#user-content-x)\n\n# The end';
    const print = renderMarkdown(text, { idPrefix: 'user-content-p1-' }).html;
    expect(print).toBe(html(text).replaceAll('user-content-the-end', 'user-content-p1-the-end'));
    expect(print.match(/href="#user-content-p1-the-end"/g)).toHaveLength(4);
  });

  test('reach a heading whose own name begins like the prefix', () => {
    const text = '[a](#user-content-x)\n\n# user content x';
    expect(html(text)).toContain('href="#user-content-user-content-x"');
  });

  test('reach names that the text gave itself', () => {
    expect(html('<a id="here"></a> [a](#here)')).toContain('href="#user-content-here"');
  });
});

describe('footnotes', () => {
  const text =
    'a[^one] b[^two] c[^one]\n\n[^two]: second *note*\n[^one]: first\n\n    more, see[^three]\n[^three]: third\n[^unused]: never';

  test('every link has its aim, no id is there twice', () => {
    const page = html(text);
    expect(brokenAims(page)).toEqual([]);
    expect(page).not.toContain('never');
    expect(page).not.toContain('user-content-user-content');
  });

  test('are numbered by their first reference, with a way back for each', () => {
    const page = html(text);
    expect(page).toContain(
      '<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="" aria-describedby="user-content-footnote-label">1</a></sup> b<sup><a href="#user-content-fn-2"',
    );
    expect(page).toContain(
      '<li id="user-content-fn-2">\n<p>second <em>note</em> <a href="#user-content-fnref-2" data-footnote-backref=""',
    );
    expect(page).toContain('href="#user-content-fnref-1-2"');
    expect(page).toContain(
      '<section data-footnotes="" class="footnotes"><h2 class="sr-only" id="user-content-footnote-label">Footnotes</h2>',
    );
  });

  test('a reference to nothing stays text, one in code too', () => {
    expect(html('a[^x] `b[^y]`\n\n[^y]: note')).toBe('<p>a[^x] <code>b[^y]</code></p>\n');
  });

  test('nobody can take their ids away', () => {
    const page = html('<a id="fn-1">mine</a>\n\n# fn-1\n\n<h2 id="footnote-label">mine</h2>\n\na[^1]\n\n[^1]: note');
    expect(brokenAims(page)).toEqual([]);
    expect(page).toContain('<li id="user-content-fn-1">');
  });

  test('a note cannot leave its place', () => {
    const page = html('a[^1] b[^2]\n\n[^1]: </li></ol></section> <!-- \n[^2]: second');
    expect(page).toContain('<li id="user-content-fn-2">\n<p>second');
    expect(brokenAims(page)).toEqual([]);
  });

  test('a reference inside a link is a number: links do not nest', () => {
    const page = html('<div><a href="/x">\n\na[^1]\n\n</a></div>\n\n[^1]: note');
    expect(page).toContain('a<sup id="user-content-fnref-1">1</sup>');
    expect(brokenAims(page)).toEqual([]);
  });

  test('in a heading they are not part of its name', () => {
    expect(renderMarkdown('# a[^1]\n\n[^1]: note').headings).toEqual([{ depth: 1, id: 'user-content-a', text: 'a' }]);
  });

  test('pages shown together do not meet', () => {
    const page = renderMarkdown('# a\n\n[a](#a) b[^1]\n\n[^1]: note', { idPrefix: 'user-content-p1-' }).html;
    expect(brokenAims(page)).toEqual([]);
    expect([...page.matchAll(/ id="([^"]*)"/g)].every(found => found[1]!.startsWith('user-content-p1-'))).toBe(true);
  });
});

describe('alerts', () => {
  test.each(['NOTE', 'TIP', 'IMPORTANT', 'WARNING', 'CAUTION'])('%s', kind => {
    const name = kind.toLowerCase();
    const title = kind[0] + name.slice(1);
    expect(html(`> [!${kind}]\n> a\n>\n> - b`)).toBe(
      `<div class="markdown-alert markdown-alert-${name}">\n<p class="markdown-alert-title">${title}</p>\n<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n</div>\n`,
    );
  });

  test.each(['> [!NOPE]\n> a', '> a [!NOTE]', '> [!NOTE] a', '> [!NOTE] **a**', '- > [!NOTE]\n  > a'])(
    '%j is a quote',
    markdown => {
      expect(html(markdown)).toContain('<blockquote>');
      expect(html(markdown)).not.toContain('markdown-alert');
    },
  );
});

describe('task lists', () => {
  test('have GitHub’s classes and a name on each box', () => {
    expect(html('- [x] a\n- b')).toBe(
      '<ul class="contains-task-list">\n<li class="task-list-item"><input checked="" disabled="" type="checkbox" aria-label="Completed task"> a</li>\n<li>b</li>\n</ul>\n',
    );
  });

  test.each([
    ['1. [ ] a', true],
    ['- [x] a\n\n- [ ] b', true],
    ['- a\n\n  <p><input type="checkbox"> b</p>', false],
    ['- <p>a <input type="checkbox"></p>', false],
    ['- a <input type="checkbox">', false],
    ['- <b><input type="checkbox"></b>', false],
  ])('are the lists whose items begin with a box: %j', (markdown, is) => {
    expect([html(markdown).includes('task-list-item'), html(markdown).includes('contains-task-list')]).toEqual([is, is]);
  });
});

describe('links and images', () => {
  test('links carry rel, links within the page need none', () => {
    expect(
      html('[a](https://example.org) https://example.org <a href="/b" rel="opener" target="_blank">b</a>').match(
        /rel="nofollow ugc noopener noreferrer"/g,
      ),
    ).toHaveLength(3);
    expect(html('[a](#b)')).toBe('<p><a href="#b">a</a></p>\n');
  });

  test('an edit link says what it gives away, and nothing else does', () => {
    const token = 'Ab-_3'.padEnd(43, 'x');
    const warned = (address: string) =>
      html(`[a](${address})`).includes('class="edit-link" title="An edit link: everyone who has it');
    for (const address of [`/e/${token}`, `https://notes.example/e/${token}`, `/e/${token}?a#b`, `/e/${token}/`])
      expect([address, warned(address)]).toEqual([address, true]);
    for (const address of [`/e/${token}x`, `/e/${token}-`, `/e/${token.slice(1)}`, `/n/${token}`, '/e/'])
      expect([address, warned(address)]).toEqual([address, false]);
  });

  test('images are lazy and tell nobody where they stand', () => {
    expect(html('![a *b* &amp; "c"](x.png "t")')).toBe(
      '<figure><img src="x.png" alt="a b &amp; &quot;c&quot;" loading="lazy" referrerpolicy="no-referrer"><figcaption>t</figcaption></figure>\n',
    );
    expect(html('a ![b](x.png "t")')).toBe(
      '<p>a <img src="x.png" alt="b" title="t" loading="lazy" referrerpolicy="no-referrer"></p>\n',
    );
  });
});

describe('code', () => {
  test('knows at least 35 languages', () => {
    expect(new Set(languages).size).toBeGreaterThanOrEqual(35);
  });

  test.each([
    ['js', 'const a = 1'],
    ['python', 'def f(): pass'],
    ['rust', 'fn main() {}'],
    ['go', 'func main() {}'],
    ['sql', 'select 1 from a'],
    ['bash', 'echo "$A"'],
    ['yaml', 'a: true'],
    ['dockerfile', 'FROM a'],
    ['TypeScript', 'type A = string'],
    ['c++', 'int a = 1;'],
    ['html', '<p class="a">b</p>'],
  ])('%s is colored', (language, code) => {
    const page = html(`\`\`\`${language}\n${code}\n\`\`\``);
    expect(page).toContain('<span class="hljs-');
    expect(
      page
        .replace(/<[^>]+>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&')
        .trim(),
    ).toBe(code);
  });

  test('within code of another language has no class of ours but for its colors', () => {
    const page = html('```html\n<style>a { b: c }</style><script>let a = 1</script>\n```\n');
    expect(page).toMatch(/<span><span class="hljs-keyword">let<\/span> a/);
    const classes = [...page.matchAll(/ class="([^"]*)"/g)].map(found => found[1]!);
    expect(classes.filter(name => !/^(?:hljs-.+|language-html)$/.test(name))).toEqual([]);
  });

  test('of an unknown language, or none, is plain', () => {
    expect(html('```nope\na < b\n```')).toBe('<pre><code class="language-nope">a &lt; b\n</code></pre>\n');
    expect(html('    a < b')).toBe('<pre><code>a &lt; b\n</code></pre>\n');
  });
});

describe('source lines', () => {
  const lines = (markdown: string) =>
    [...renderMarkdown(markdown, { sourceLines: true }).html.matchAll(/<(\w+)[^>]* data-line="(\d+)"/g)].map(
      found => `${found[1]} ${found[2]}`,
    );

  test('stand on blocks, inside containers too', () => {
    expect(lines('# a\n\nb\nb\n\n- c\n- d\n\n  e\n\n> f\n>\n> g\n\n```\nh\n```\n\n|i|\n|-|\n\n---')).toEqual([
      'h1 1',
      'p 3',
      'ul 6',
      'li 6',
      'p 6',
      'li 7',
      'p 7',
      'p 9',
      'blockquote 11',
      'p 11',
      'p 13',
      'pre 15',
      'table 19',
      'hr 22',
    ]);
  });

  test('are off by default, and nobody else can set them', () => {
    expect(html('a')).toBe('<p>a</p>\n');
    expect(renderMarkdown('<p data-line="9" data-mark="line 9" data-markx="line 9">a</p>', { sourceLines: true }).html).toBe(
      '<p>a</p>\n',
    );
  });
});

describe('odd texts', () => {
  test.each([
    ['', ''],
    ['\n\n', ''],
    ['a\r\nb\rc', '<p>a\nb\nc</p>\n'],
    ['a\0b', '<p>a\uFFFDb</p>\n'],
    ['a\ud800b', '<p>a\uFFFDb</p>\n'],
    ['שלום 👩‍👩‍👧', '<p dir="rtl">שלום 👩‍👩‍👧</p>\n'],
  ])('%j', (markdown, expected) => {
    expect(html(markdown)).toBe(expected);
  });
});
