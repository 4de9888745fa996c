import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { findFasterGrowth } from '../../../../tools/growth.ts';
import { makePatch, putAddresses, restoreFile } from '../../src/browser/files/original-file.ts';
import { readImport } from '../../src/browser/files/read-import.ts';
import { notebookZip } from '../../src/browser/panels/export/notebook-zip.ts';
import { limits } from '../../src/limits.ts';
import { firstHeading } from '../../src/markdown/heading.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { text, zip } from './made-zips.ts';
import { aVault } from './vault.ts';

const page = (markdown: string, path = 'page.md') => readImport([{ path, bytes: text(markdown) }]).pages[0];
const shown = (markdown: string) => page(markdown)?.markdown;

/** The pages of an imported vault, as a notebook has them then. */
function imported(files: Record<string, string | Uint8Array>) {
  const plan = readImport([{ path: 'vault.zip', bytes: zip(files) }]);
  const addresses = new Map(plan.images.map(({ path }, at) => [path, `https://images.example/${at}.png`]));
  const pages = plan.pages.map(({ path, title, markdown, original }, at) => {
    const put = putAddresses(path, markdown, addresses);
    const patch = makePatch(put, original, limits.maxPagePatchChars)!;
    return { id: `p${at}`, title: title || firstHeading(put.text), markdown: put.text, file: { path, patch } };
  });
  const images = plan.images.map(({ path, bytes }) => ({ url: addresses.get(path)!, type: 'image/png', bytes }));
  return { plan, notebook: { title: 'Vault', pages, images } };
}

const noon = Date.UTC(2026, 2, 1, 12);
const bytesOf = (content: string | Uint8Array) => Buffer.from(content).toString('latin1');
const unpacked = (archive: Uint8Array) =>
  Object.fromEntries(Object.entries(unzipSync(archive)).map(([path, content]) => [path, bytesOf(content)]));

describe('a vault of 60 files', () => {
  const files = aVault();
  const { plan, notebook } = imported(files);

  it('comes in whole', () => {
    expect(Object.keys(files)).toHaveLength(60);
    expect([plan.pages.length, plan.images.length, plan.leftOut]).toEqual([54, 6, []]);
  });

  it('goes out as it came in', () => {
    expect(unpacked(notebookZip(notebook, noon).bytes)).toEqual(
      Object.fromEntries(Object.entries(files).map(([path, content]) => [path, bytesOf(content)])),
    );
  });

  it('goes out with what was changed here, and nothing else', () => {
    const changed = notebook.pages.map(one =>
      one.file.path === 'Start.md'
        ? { ...one, title: 'Renamed', markdown: one.markdown.replace('## Below', '## Further below') }
        : one,
    );
    const out = unpacked(notebookZip({ ...notebook, pages: changed }, noon).bytes);
    const expected = bytesOf(files['Start.md']!)
      .replace('## Below', '## Further below')
      .replace('title: "Start: here"', 'title: "Renamed"');
    expect(out['Start.md']).toBe(expected);
    expect(out['Projects/Note 10.md']).toBe(bytesOf(files['Projects/Note 10.md']!));
  });

  it('goes out with the name of each file that lacks a part, because the page was changed there', () => {
    const changed = notebook.pages.map(one => (one.file.path === 'Start.md' ? { ...one, markdown: 'all new\n' } : one));
    expect(notebookZip(notebook, noon).incomplete).toEqual([]);
    expect(notebookZip({ ...notebook, pages: changed }, noon).incomplete).toEqual(['Start.md']);
  });

  it.each([
    '../../.bashrc',
    '/etc/cron.d/x',
    'C:/x.png',
    'a/../../x.png',
    'a\\..\\x.png',
    '',
    '.envrc',
    'Makefile',
    '.git/hooks/x.png',
  ])('goes out with no image at %j, whatever the page says', path => {
    const [image] = notebook.images;
    const patch = `image ${image!.url} ${encodeURIComponent(path)}\n--- page\n+++ file\n`;
    const page = { id: 'p', title: 'P', markdown: `![](${image!.url})\n`, file: { path: 'P.md', patch } };
    const { bytes } = notebookZip({ title: 'V', pages: [page], images: [image!] }, noon);
    expect(Object.keys(unpacked(bytes))).toEqual(['P.md', 'images/01.png']);
  });

  it.each(['.envrc', 'Makefile', '.ssh/rc', '.obsidian/x.md', 'bin/x.sh'])(
    'goes out with no page at %j, where a program would obey it',
    path => {
      const page = { id: 'p', title: 'P', markdown: 'Words.\n', file: { path, patch: '' } };
      const { bytes } = notebookZip({ title: 'V', pages: [page], images: [] }, noon);
      expect(Object.keys(unpacked(bytes))).toEqual(['01-p.md']);
    },
  );

  it('goes out with every page and every image once, also when a new one would get the name of an imported one', () => {
    const [old, young] = ['old', 'young'].map(word => ({
      url: `https://i/${word}`,
      type: 'image/png',
      bytes: Buffer.from(word),
    }));
    const file = { path: '02-plan.md', patch: `image ${old!.url} images/01.png\n--- page\n+++ file\n` };
    const pages = [
      { id: 'a', title: 'Plan', markdown: `Imported. ![](${old!.url})\n`, file },
      { id: 'b', title: 'Plan', markdown: `Written here. ![](${young!.url})\n` },
    ];
    const out = unpacked(notebookZip({ title: 'V', pages, images: [young!, old!] }, noon).bytes);
    expect(Object.keys(out).sort()).toEqual(['02-plan-2.md', '02-plan.md', 'images/01-2.png', 'images/01.png']);
    expect(out['02-plan.md']).toContain('![](images/01.png)');
    expect(out['images/01.png']).toBe('old');
    expect(out['02-plan-2.md']).toContain('![](images/01-2.png)');
    expect(out['images/01-2.png']).toBe('young');
  });

  it('goes out with every page also where two were imported from files of one name', () => {
    const pages = ['One', 'Two', 'Three'].map(title => ({
      id: title,
      title,
      markdown: `# ${title}\n`,
      file: { path: 'notes/P.md', patch: '' },
    }));
    expect(unpacked(notebookZip({ title: 'V', pages, images: [] }, noon).bytes)).toEqual({
      'notes/P.md': '# One\n',
      '02-two.md': '# Two\n',
      '03-three.md': '# Three\n',
    });
  });

  it('goes out with both images where two files had one name, and with the address of one that could not be fetched', () => {
    const [one, other, gone] = ['one', 'other', 'gone'].map(word => `https://i/${word}`) as [string, string, string];
    const pages = [one, other, gone].map((url, at) => ({
      id: url,
      title: 'P',
      markdown: `# P\n\n![](${url})\n`,
      file: {
        path: `p${at}.md`,
        patch: `image ${url} ${url === gone ? 'gone' : 'a'}.png\n--- page\n+++ file\n@@ -1,3 +1,3 @@\n # P\n \n-![](${url})\n+![](${url === gone ? 'gone' : 'a'}.png)\n`,
      },
    }));
    const images = [one, other].map(url => ({ url, type: 'image/jpeg', bytes: Buffer.from(url) }));
    expect(unpacked(notebookZip({ title: 'V', pages, images }, noon).bytes)).toEqual({
      'p0.md': '# P\n\n![](a.png)\n',
      'p1.md': '# P\n\n![](images/02.jpg)\n',
      'p2.md': `# P\n\n![](${gone})\n`,
      'a.png': one,
      'images/02.jpg': other,
    });
  });

  it('goes out with links that lead to the images, whatever signs their names have', () => {
    const path = 'images/a (1) #2 :).png';
    const { plan, notebook } = imported({ 'a.md': '![](images/a%20(1)%20%232%20:%29.png)', [path]: 'x' });
    const copy = { id: 'new', title: 'New', markdown: `![](${notebook.images[0]!.url})\n` };
    const { bytes } = notebookZip({ ...notebook, pages: [...notebook.pages, copy] }, noon);
    const again = readImport([{ path: 'again.zip', bytes }]);
    expect(plan.images.map(image => image.path)).toEqual([path]);
    expect(unpacked(bytes)['02-new.md']).toContain('![](images/a%20%281%29%20%232%20:%29.png)');
    expect(again.pages.map(({ markdown }) => putAddresses('02-new.md', markdown, new Map([[path, 'https://i/1']])).text)).toEqual(
      ['![](https://i/1)\n', '![](https://i/1)'],
    );
  });

  it('goes out with each of two equal images, which a push sends once', () => {
    const [address, original] = ['https://i/1', '![](a.png) ![](b/c.png)\n'];
    const put = putAddresses(
      'P.md',
      original,
      new Map([
        ['a.png', address],
        ['b/c.png', address],
      ]),
    );
    const file = { path: 'P.md', patch: makePatch(put, original, limits.maxPagePatchChars)! };
    const images = [{ url: address, type: 'image/png', bytes: Buffer.from('x') }];
    const page = { id: 'p', title: 'P', markdown: put.text, file };
    const out = unpacked(notebookZip({ title: 'V', pages: [page], images }, noon).bytes);
    expect(out).toMatchObject({ 'P.md': expect.stringContaining(original), 'a.png': 'x', 'b/c.png': 'x' });
    expect([...restoreFile(put.text, file.patch).images]).toEqual([
      ['a.png', address],
      ['b/c.png', address],
    ]);
  });

  it('shows readers no comment, no front matter and no sign of the note program', () => {
    for (const { markdown, file } of notebook.pages) {
      const outside = markdown.replaceAll(/```[\s\S]*?```|`[^`]*`/g, '');
      expect([file.path, /secret|%%|\[\[|\[!\w+\][+-]|aliases|date:/.exec(outside)?.[0]]).toEqual([file.path, undefined]);
      // Marks stay as they were written, and are shown.
      expect([file.path, /==/.exec(renderMarkdown(outside).html)?.[0]]).toEqual([file.path, undefined]);
    }
  });

  it('is called and tagged by its front matter', () => {
    const start = notebook.pages.find(({ file }) => file.path === 'Start.md')!;
    expect(start.title).toBe('Start: here');
    expect(start.markdown).toMatch(/\n\nTags: #vault #field #notes\n$/);
  });
});

describe('of a note program', () => {
  it.each([
    ['[[Other]]', '[Other](Other.md)'],
    ['[[Other|words [x]]]', '[[Other|words [x]]]'],
    ['[[Some note#A Part|see]]', '[see](Some%20note.md#a-part)'],
    ['[[#A Part]]', '[A Part](#a-part)'],
    ['![[a (1).png]]', '![](a%20%281%29.png)'],
    ['![[a.png|A view]]', '![A view](a.png)'],
    ['![[a.png|120x80]]', '![|120](a.png)'],
    ['a ==b c== d', 'a ==b c== d'],
    ['a == b == c', 'a == b == c'],
    ['line ^abc-1', 'line'],
    ['`[[x]] ==y==`', '`[[x]] ==y==`'],
    ['```\n[[x]] %%y%%\n```', '```\n[[x]] %%y%%\n```'],
    ['a %%b%% c', 'a  c'],
    ['a\n%%\nb\n\nc\n%%\nd', 'a\nd'],
    ['a\n%%\nto the end', 'a\n'],
    ['%%a%% words\nnext', ' words\nnext'],
    [`a${' '.repeat(250)}%%b%%\nc`, `a${' '.repeat(250)}\nc`],
    ['[[R&D|a [b] \\ c]]', '[[R&D|a [b] \\ c]]'],
    ['[[R&D?|a \\ c]]', '[a \\\\ c](R%26D%3F.md)'],
    ['[[a.png]] and [[b.pdf]]', 'a.png and b.pdf'],
    ['`a $` [[Other]] `$ b`', '`a $` [Other](Other.md) `$ b`'],
    ['100%% of it', '100%% of it'],
    ['a %%open `code` %%', 'a '],
    ['```x``` words %%y%% [[Other]]', '```x``` words  [Other](Other.md)'],
    ['a \\` %%y%% [[Other]] \\` b', 'a \\`  [Other](Other.md) \\` b'],
    ['- - ```\n    %%y%%\n    ```', '- - ```\n    %%y%%\n    ```'],
    ['`a\\` [[Other]] `b`', '`a\\` [Other](Other.md) `b`'],
    ['area r ^2 `m`', 'area r ^2 `m`'],
    ['$A = [[1]]$ [[Other]] costs $5', '$A = [[1]]$ [Other](Other.md) costs $5'],
    ['$$\na ^2\n$$\n\nb ^2', '$$\na ^2\n$$\n\nb'],
    ['costs $$, line ^a\n\nand $$', 'costs $$, line\n\nand $$'],
    ['| [[Other\\|words]] | [[Other]] |', '| [words](Other.md) | [Other](Other.md) |'],
    ['| ![[a.png\\|30]] | ![[a.png\\|A\\|30]] |', '| ![\\|30](a.png) | ![A\\|30](a.png) |'],
  ])('%s', (before, after) => expect(shown(before)).toBe(after));

  it.each([
    ['> [!note]\n> a', '> [!note]\n> a'],
    ['> [!tip] Title\n> a\n\nb', '> [!TIP]\n> **Title**\n>\n> a\n\nb'],
    ['> [!bug]\n> a', '> [!CAUTION]\n> **Bug**\n>\n> a'],
    ['> [!quote] Someone\n> a', '> **Someone**\n>\n> a'],
    ['> [!faq]- Why <b>?\n> a', '<details>\n<summary>Why &lt;b&gt;?</summary>\n\na\n\n</details>\n'],
    ['> [!info]+\n> a', '<details open>\n<summary>Info</summary>\n\na\n\n</details>\n'],
    ['```\n```js\n> [!faq] a\n```\n\n> [!bug]\n> b', '```\n```js\n> [!faq] a\n```\n\n> [!CAUTION]\n> **Bug**\n>\n> b'],
    ['```x``` y\n\n> [!bug]\n> b', '```x``` y\n\n> [!CAUTION]\n> **Bug**\n>\n> b'],
    ['> [!bug] A\n> > [!note] B\n> > c', '> [!CAUTION]\n> **A**\n>\n> > **B**\n> >\n> > c'],
    ['> [!bug] A\n> > [!tip]\n> > c', '> [!CAUTION]\n> **A**\n>\n> > **Tip**\n> >\n> > c'],
  ])('callout %s', (before, after) => expect(shown(before)).toBe(after));

  it('callouts in callouts are read nine deep, and stay as they are below that', () => {
    const nested = Array.from({ length: 11 }, (_, depth) => `${'> '.repeat(depth + 1)}[!faq] T${depth}`).join('\n');
    expect(shown(nested)!.match(/\[!\w+\].*|\*\*T\d+\*\*/g)).toEqual([
      '[!NOTE]',
      ...Array.from({ length: 9 }, (_, depth) => `**T${depth}**`),
      ...['[!faq] T9', '[!faq] T10'],
    ]);
  });

  it('a callout keeps every word of a long title', () => {
    const title = `${'long '.repeat(400)}end`;
    expect(shown(`> [!tip] ${title}\n> a`)).toBe(`> [!TIP]\n> **${title}**\n>\n> a`);
  });

  it('callouts of each kind are the alert that comes nearest', () => {
    const kinds = {
      TIP: ['hint', 'success', 'check', 'done', 'tip'],
      IMPORTANT: ['important'],
      WARNING: ['warning', 'attention'],
      CAUTION: ['failure', 'fail', 'missing', 'danger', 'error', 'bug', 'caution'],
      NOTE: ['note', 'abstract', 'summary', 'info', 'todo', 'question', 'faq', 'example', 'anything-else'],
    };
    for (const [alert, names] of Object.entries(kinds))
      for (const name of names) expect([name, shown(`> [!${name}] T\n> a`)]).toEqual([name, `> [!${alert}]\n> **T**\n>\n> a`]);
  });

  it('an aside in code is code', () => {
    const example = '```html\n<aside>\na\n</aside>\n```\n';
    expect(shown(`${example}\n<aside>\nb\n</aside>\n`)).toBe(`${example}\n> [!NOTE]\n> b\n`);
    expect(shown('<aside>\nb\n</aside>\n\n<aside>\nwithout an end')).toBe('> [!NOTE]\n> b\n\n<aside>\nwithout an end');
  });

  it('callouts are alerts and details in the page', () => {
    const { html } = renderMarkdown(shown('> [!danger] Mind\n> gap\n\n> [!tip]- More\n> **hidden**')!);
    expect(html).toContain('class="markdown-alert markdown-alert-caution"');
    expect(html).toMatch(/<details>\s*<summary>More<\/summary>\s*<p><strong>hidden<\/strong><\/p>/);
  });

  it('links find their files in other folders', () => {
    const { plan } = imported({ 'a/One.md': '[[Two]] [[b/Two|2]] ![[pic.png]]', 'b/Two.md': '# T', 'img/pic.png': 'x' });
    expect(plan.pages[0]!.markdown).toBe('[Two](../b/Two.md) [2](../b/Two.md) ![](../img/pic.png)');
  });

  it('links find the file that lies nearest to the root, and one by its whole path, composed in any way', () => {
    const { plan } = imported({
      'deep/down/Two.md': '# T',
      'x/Two.md': '# T',
      'Caf\u00e9.md': '# C',
      'One.md': '[[Two]] [[/deep/down/Two]] [[Cafe\u0301]]',
    });
    const one = plan.pages.find(({ path }) => path === 'One.md')!;
    expect(one.markdown).toBe('[Two](x/Two.md) [Two](deep/down/Two.md) [Cafe\u0301](Caf%C3%A9.md)');
  });

  it('pages of Notion: the number of a name is gone, a page stands before its subpages, an aside is a note', () => {
    const id = '0123456789abcdef0123456789abcdef';
    const { plan } = imported({
      [`Plan ${id}/Sub ${id}.md`]: 'sub',
      [`Plan ${id}.md`]: `# Plan\n\n<aside>\n💡 Mind\n\n</aside>\n\n[Sub](Plan%20${id}/Sub%20${id}.md)`,
    });
    expect(plan.pages.map(({ title, path }) => title ?? path)).toEqual([`Plan ${id}.md`, 'Sub']);
    expect(plan.pages[0]!.markdown).toContain('> [!NOTE]\n> 💡 Mind\n');
  });

  // One test for each: together, they would take longer than one test may on a busy machine.
  it.each([
    '%%',
    '%%\n',
    '`',
    '[[',
    '![[a',
    '==a',
    ' ^a',
    '> [!a]-\n',
    '>> [!a] b\n',
    '<aside>\n',
    '```\n',
    '> ',
    '- ```\n',
    '\\`[[a\\|b]]$c$',
  ])('a hostile file of %j takes no more than in proportion', opening => {
    expect(findFasterGrowth(shown, chars => opening.repeat(chars / opening.length))).toBeUndefined();
  });
});
