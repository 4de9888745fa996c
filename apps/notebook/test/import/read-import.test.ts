import { describe, expect, it } from 'vitest';
import { findFasterGrowth } from '../../../../tools/growth.ts';
import { readFrontMatter, withTitle, writeFrontMatter } from '../../src/browser/files/front-matter.ts';
import { findImageLinks, replaceImageLinks, resolveLink } from '../../src/browser/files/image-links.ts';
import { putAddresses } from '../../src/browser/files/original-file.ts';
import { readImport } from '../../src/browser/files/read-import.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { text, zip } from './made-zips.ts';

const page = (markdown: string, path = 'page.md') => readImport([{ path, bytes: text(markdown) }]).pages[0]!;

describe('pages that are imported', () => {
  it('stand in the order of their names, as a person counts', () => {
    const names = ['10 end.md', '2 middle.md', '1 start.md', 'b/2.md', 'B/1.md', 'a/9.md', 'z.md', 'ä.md'];
    const plan = readImport([{ path: 'n.zip', bytes: zip(Object.fromEntries(names.map(name => [name, '# x']))) }]);
    expect(plan.pages.map(({ path }) => path)).toEqual([
      ...['1 start.md', '2 middle.md', '10 end.md', 'ä.md', 'z.md'],
      ...['a/9.md', 'B/1.md', 'b/2.md'],
    ]);
  });

  it.each([
    ['its first heading, which is not given', '# Heading', 'page.md', undefined],
    ['its file, when it has no heading', 'only text', 'notes/03-next steps.md', 'next steps'],
    ['its file, when that is only a number', 'only text', '2024.md', '2024'],
    ['its file, when nothing is behind its number', 'only text', '2024_.md', '2024_'],
    [
      'the beginning of a long title, which cuts no character',
      `---\ntitle: a${'👩'.repeat(300)}\n---\n`,
      'p.md',
      `a${'👩'.repeat(199)}`,
    ],
    ['its front matter', '---\ntitle: Given\ntags: x\n---\n# Heading', 'page.md', 'Given'],
    ['its front matter, quoted before a comment', '---\ntitle: "A # b" # why\n---\n# Heading', 'page.md', 'A # b'],
    ['its front matter, in single quotes before a comment', "---\ntitle: 'It''s' # why\n---\n# Heading", 'page.md', "It's"],
    ['its front matter, quoted, with marks of YAML', '---\ntitle: "A\\x41 \\e b"\n---\n# Heading', 'page.md', 'AA b'],
    ['its front matter, quoted, with a comment that is quoted', '---\ntitle: "A" # "b"\n---\n# Heading', 'page.md', 'A'],
    [
      'its front matter, folded over lines',
      '---\ntitle: >-\n  One # two\n  and three\n\ntags: x\n---\n# Heading',
      'page.md',
      'One # two and three',
    ],
    ['its front matter, in a block of lines', '---\ntitle: | # why\n    One\n\n    two\n---\n# Heading', 'page.md', 'One two'],
    [
      'its front matter, continued in the next line',
      '---\ntitle: One\n  two: three\ndate: x\n---\n# Heading',
      'page.md',
      'One two: three',
    ],
    ['its front matter, below the key', '---\ntitle:\n  One two\n---\n# Heading', 'page.md', 'One two'],
    ['its front matter, quoted over lines', '---\ntitle: "One\n  two"\n---\n# Heading', 'page.md', 'One two'],
    ['its heading, when the front matter has a list of titles', '---\ntitle:\n  - One\n---\n# Heading', 'page.md', undefined],
    ['its front matter, with long marks of YAML', '---\ntitle: "A \\U0001F600 \\U00110000b"\n---\n', 'page.md', 'A 😀 b'],
    ['its heading, when the front matter has a list in brackets', '---\ntitle: [One]\n---\n# Heading', 'page.md', undefined],
    ['its heading, when the front matter has titles by language', '---\ntitle:\n  en: One\n---\n# Heading', 'page.md', undefined],
    ['its front matter, quoted, ', '---\ntitle: "A: \\"b\\""\n---\n# Heading', 'page.md', 'A: "b"'],
  ])('are called by %s', (_what, markdown, path, title) => {
    expect(page(markdown, path).title).toBe(title);
  });

  it('keep every word: line ends and a byte order mark are no words', () => {
    expect(page('\uFEFF# A\r\n\r\nb\rc').markdown).toBe('# A\n\nb\nc');
  });
});

describe('front matter', () => {
  it('gives title and tags, and is not shown', () => {
    expect(page('---\ntitle: T\ntags:\n  - a\ndate: 2024-01-01\n---\n\n# T').markdown).toBe('# T\n\nTags: #a\n');
  });

  it.each([['[a, b] # why'], ['[ "a", \'b\' ]'], ['[\n  a,\n  b\n]'], ['a, b # why'], ['\n- a\n- "b" # why']])(
    'gives the tags of %j',
    tags => {
      expect(readFrontMatter(`---\ntags: ${tags}\nx: y\n---\n`)?.tags).toEqual(['a', 'b']);
    },
  );

  it('may have 199 lines, and gives 50 tags, each once', () => {
    expect(page(`---\n${'a: b\n'.repeat(199)}---\n\nmore`).markdown).toBe('more');
    const tags = Array.from({ length: 51 }, (_, at) => `t${at}`);
    expect(readFrontMatter(`---\ntags: [t0, ${tags.join(', ')}]\n---\n`)?.tags).toEqual(tags.slice(0, 50));
  });

  it('keeps a tag of two words, which is quoted', () => {
    expect(readFrontMatter('---\ntags: ["two words", b]\n---\n')?.tags).toEqual(['two-words', 'b']);
  });

  it.each([
    ['a divider', '---\n\nWords: not data\n\n---\n\nmore'],
    ['prose between dividers', '---\nOnce upon a time.\n---\n'],
    ['prose below a key', '---\nWords: one\nand no data\n---\n\nmore'],
    ['of too many lines', `---\n${'a: b\n'.repeat(200)}---\n\nmore`],
    ['without an end', '---\ntitle: x\n\ntext'],
    ['not at the beginning', '\n---\ntitle: x\n---\n'],
  ])('is not taken for it: %s', (_what, markdown) => {
    expect(readFrontMatter(markdown)).toBeUndefined();
    expect(page(markdown).markdown).toBe(markdown);
  });

  it.each(['Plain', 'With: colon', "It's", '"Quoted"', 'a # b', '- list', '[x]', '日本語 📓', 'back\\slash'])(
    'that we write gives the title back: %s',
    title => expect(page(`${writeFrontMatter(title)}Text`)).toMatchObject({ title, markdown: 'Text' }),
  );

  it('gets another title in place of one of several lines', () => {
    expect(withTitle('---\na: b\ntitle: >-\n  One\n\n  two\n\ntags: x\n---\nText', 'New')).toBe(
      '---\ntitle: "New"\na: b\n\ntags: x\n---\nText',
    );
  });
});

describe('images', () => {
  it.each([
    ['![a](one.png)', '![a](NEW)'],
    ['![a [b] c](one.png "title")', '![a [b] c](NEW "title")'],
    ['![](<one.png>)', '![](NEW)'],
    ['[![a](one.png)](https://x.example)', '[![a](NEW)](https://x.example)'],
    ['<img alt="x" src="one.png">', '<img alt="x" src="NEW">'],
    ["<IMG SRC='one.png'>", "<IMG SRC='NEW'>"],
    ['![a][r]\n\n[r]: one.png "t"', '![a][r]\n\n[r]: NEW "t"'],
    ['![[one.png|300]]', '![](NEW)'],
    ['![a](other.png) [a](one.png)', '![a](other.png) [a](one.png)'],
    ['![a\nb](one.png)', '![a\nb](NEW)'],
    ['![the `x` button](one.png)', '![the `x` button](NEW)'],
    ['<img src=one.png>', '<img src=NEW>'],
    ['<img alt="1 > 0, <b>" src="one.png">', '<img alt="1 > 0, <b>" src="NEW">'],
    ["<img title='no src=\"one.png\"' src='two.png'>", "<img title='no src=\"one.png\"' src='two.png'>"],
    ['<img data-src="two.png" src="one.png">', '<img data-src="two.png" src="NEW">'],
    ['![a][r]\n\n> [r]: one.png', '![a][r]\n\n> [r]: NEW'],
    ['![a][r]\n\n[r]:\n  one.png', '![a][r]\n\n[r]:\n  NEW'],
    ['a[^1]\n\n[^1]: one.png is a picture', 'a[^1]\n\n[^1]: one.png is a picture'],
  ])('%s', (before, after) => {
    expect(replaceImageLinks(before, link => (link === 'one.png' ? 'NEW' : undefined))).toBe(after);
  });

  it('named within an address are not replaced twice', () => {
    expect(replaceImageLinks('<img src="![[one.png]]">', () => 'NEW')).toBe('<img src="NEW">');
  });

  it.each([
    ['notes/a.md', 'img/x.png', 'notes/img/x.png'],
    ['notes/a.md', '../x.png', 'x.png'],
    ['a.md', '../../x.png', 'x.png'],
    ['notes/a.md', '/x.png', 'x.png'],
    ['a.md', 'my%20photo.png', 'my photo.png'],
    ['a.md', './x.png?raw=1#y', 'x.png'],
    ['a.md', '100%.png', '100%.png'],
    ['a.md', 'https://x.example/x.png', undefined],
    ['a.md', '//x.example/x.png', undefined],
    ['a.md', 'data:image/png;base64,x', undefined],
  ])('in %s, %s is %s', (at, link, path) => {
    expect(resolveLink(at, link)).toBe(path);
  });

  it.each([
    ['C#.png', '![](C#.png)'],
    ['a?b.png', '![](a?b.png) and ![](a?b.png "title")'],
    ['a(b.png', '![](a(b.png)'],
    ['a(b.png', '![](a\\(b.png)'],
    ['a(b.png', '![](<a(b.png>)'],
    ['a)b.png', '![](a)b.png)'],
    ['a(1)(2).png', '![](a(1)(2).png)'],
    ['a_b.png', '![](a\\_b.png)'],
    ['R&D.png', '![](R&D.png) ![](R&amp;D.png)'],
    ["it's.png", '<img src="it\'s.png">'],
    ['R&D.png', '<img src="R&amp;D.png">'],
    ['img/_a.png', '![](img\\_a.png)'],
    ['one.png', '```\n![](two.png)\n```\n\n![](one.png)'],
    ['one.png', '- a\n  ```\n  ![](two.png)\n\n![](one.png)'],
    ['one.png', '> ```\n> ![](two.png)\n![](one.png)'],
    ['one.png', '- a ` b\n- ![](one.png)\n- ` c'],
    ['one.png', '| ` |\n|---|\n| ![](one.png) |\n| ` |'],
    ['one.png', '# a ` b\n![](one.png) ` c'],
    ['one.png', 'a ``` b\n\n![](one.png)'],
    ['one.png', '    ```\n\n![](one.png)'],
    ['one.png', '- a\n\n  ```\n  ![](two.png)\n  ```\n\n  ![](one.png)'],
    ['one.png', '1. ```\n   ![](two.png)\n   ```\n2. ![](one.png)'],
    ['one.png', '~~~\n```\n~~~\n![](one.png)'],
    ['one.png', 'words\n    ![](one.png)'],
    ['one.png', '- a\n\n    ![](one.png)'],
    ['one.png', '- a\n  - b\nlazy\n\n    ![](one.png)'],
    ['one.png', '1.  a\n\n    ![](one.png)'],
    ['one.png', '-\ta\n\n    ![](one.png)'],
    ['one.png', 'a[^1]\n\n[^1]: note\n\n    ![](one.png)'],
    ['one.png', 'a[^1]\n\n[^1]: ```\n    ![](two.png)\n    ```\n\n    ![](one.png)'],
    ['one.png', '> a\n    ![](one.png)'],
    ['one.png', '> - a\nlazy\n>\n>   ![](one.png)'],
    ['one.png', '> a\n===\n    ![](one.png)'],
    ['one.png', 'a[^1]\n\n[^1]: note\n\n      ![](one.png)'],
  ])('%s is taken, and shown, for %j', (name, markdown) => {
    const plan = readImport([{ path: 'n.zip', bytes: zip({ 'a.md': markdown, [name]: 'x' }) }]);
    expect(plan.leftOut).toEqual([]);
    const addresses = new Map([[name, 'https://i.example/x.png']]);
    const { text: put } = putAddresses('a.md', plan.pages[0]!.markdown, addresses);
    expect(renderMarkdown(put).html).toContain('<img src="https://i.example/x.png"');
    expect(put).not.toContain(name === 'one.png' ? 'x.png)\n```' : 'never');
  });

  it.each([
    '```md\n![](one.png)\n![[one.png]]\n<img src="one.png">\n[r]: one.png\n```',
    '```\n![](one.png)',
    '- a\n  ~~~\n  ![](one.png)\n  ~~~\n',
    '> ```\n> ![](one.png)\n> ```',
    '1. > - ```\n   >   ![](one.png)\n   >   ```',
    'Write `![](one.png)`, or `` `![](one.png)` ``.',
    'a `![](one.png)\n![](one.png)` b',
    'a\n\n    ![](one.png)\n\n    <img src="one.png">\n',
    '\t![[one.png]]\n',
    '# a\n    ![](one.png)',
    'a\n===\n    ![](one.png)',
    '***\n    ![](one.png)',
    '* * *\n    ![](one.png)',
    '`![a`](one.png)',
    '![a `b](one.png)` c',
    '- - -\n    ![](one.png)',
    '> a\n***\n    ![](one.png)',
    '-   \n      ![](one.png)',
    '```\n```\n    ![](one.png)',
    '- a\n\n      ![](one.png)',
    '-     ![](one.png)',
    '> a\n>\n>     ![](one.png)',
    '> \t![](one.png)',
    '>\t\t![](one.png)',
    '-\ta\n\n\t```\n\t![](one.png)\n\t```',
    '-\ta\n\n    ```\n    ![](one.png)\n    ```',
    'a[^1]\n\n[^1]: note\n\n        ![](one.png)',
  ])('that are only in code are code, and not taken: %j', markdown => {
    const plan = readImport([{ path: 'n.zip', bytes: zip({ 'a.md': markdown, 'one.png': 'x' }) }]);
    expect(plan.leftOut).toEqual(['one.png is shown by no page.']);
    expect(putAddresses('a.md', markdown, new Map([['one.png', 'https://i.example/x.png']])).text).toBe(markdown);
    expect(renderMarkdown(markdown).html).not.toContain('<img');
  });

  it('of a name that is written in another case are found, as on the computers of most people', () => {
    const plan = readImport([{ path: 'n.zip', bytes: zip({ 'a.md': '![](Img/Photo.PNG)', 'img/photo.png': 'x' }) }]);
    expect(plan.images.map(({ path }) => path)).toEqual(['img/photo.png']);
  });

  it('of a name that is composed in another way are found', () => {
    const plan = readImport([{ path: 'n.zip', bytes: zip({ 'a.md': '![](\u00e9.png)', 'e\u0301.png': 'x' }) }]);
    expect([plan.images.length, plan.leftOut]).toEqual([1, []]);
  });

  it('of a name that several have are not guessed', () => {
    const files = { 'a.md': '![](x.png)', 'one/x.png': 'x', 'two/x.png': 'y' };
    const plan = readImport([{ path: 'n.zip', bytes: zip(files) }]);
    expect([plan.images, plan.leftOut]).toEqual([[], ['one/x.png is shown by no page.', 'two/x.png is shown by no page.']]);
  });

  it('of names that differ only in case are told apart', () => {
    const files = { 'a.md': '![](photo.png)', 'photo.png': 'x', 'Photo.png': 'y' };
    const plan = readImport([{ path: 'n.zip', bytes: zip(files) }]);
    expect(plan.images.map(({ path }) => path)).toEqual(['photo.png']);
    expect(plan.leftOut).toEqual(['Photo.png is shown by no page.']);
  });

  it('are taken when a page shows them, by path or by a name that only one has', () => {
    const files = { 'a.md': '![](img/x.png) ![[y.png]]', 'img/x.png': 'x', 'deep/down/y.png': 'y', 'z.png': 'z' };
    const plan = readImport([{ path: 'n.zip', bytes: zip(files) }]);
    expect(plan.images.map(({ path }) => path)).toEqual(['img/x.png', 'deep/down/y.png']);
    expect(plan.leftOut).toEqual(['z.png is shown by no page.']);
  });

  it.each([
    '![',
    '![[',
    '<img ',
    '[a]: ',
    '![a](',
    '![[a',
    '![\\',
    '![](',
    '- ',
    '> ',
    '- ```\n',
    '`',
    '<img src=',
    '<img a="',
    '[^a]: ',
    '-\t',
    '    a\n',
  ])('many %s take no more than in proportion', opening => {
    expect(findFasterGrowth(findImageLinks, chars => opening.repeat(chars / opening.length))).toBeUndefined();
  });
});
