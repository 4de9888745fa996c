import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { zip } from '../import/made-zips.ts';
import { useCommandLine } from '../support/command-line.ts';

describe('each page has a file of its own', () => {
  const line = useCommandLine();

  it('also where a page came before one that is called the same', async () => {
    const made = await line.app.create({ pages: [{ title: 'Plan', markdown: 'older\n' }] });
    const folder = line.at('notes');
    expect(await line.octavo('pull', made.slug, folder)).toBe(0);
    const { slug, editToken: token } = made;
    const added = await line.app.ask('POST', `/api/notebooks/${slug}/pages`, {
      token,
      body: { title: 'Plan', markdown: 'newer\n' },
    });
    const order = [added.json().id, made.pages[0]!.id];
    await line.app.ask('PATCH', `/api/notebooks/${slug}`, { token, body: { pageOrder: order } });
    expect((await line.pages(slug)).map(({ markdown }) => markdown)).toEqual(['newer\n', 'older\n']);
    expect(await line.octavo('pull', slug, folder)).toBe(0);
    const texts = readdirSync(folder).map(name => readFileSync(`${folder}/${name}`, 'utf8'));
    expect(texts.sort()).toEqual(['newer\n', 'older\n']);
    expect(readFileSync(`${folder}/01-plan.md`, 'utf8')).toBe('older\n');
  });

  it('and each file one page, however often it is named', async () => {
    const one = line.write('one.md', '# One\n');
    expect(await line.octavo('push', one, line.at('./one.md'))).toBe(0);
    expect(await line.pages()).toHaveLength(1);
  });
});

describe('a file that a pull replaces', () => {
  const line = useCommandLine();
  const changeThere = async () => {
    const [page] = await line.pages();
    const body = { markdown: '# One\n\ntheirs\n' };
    await line.app.ask('PATCH', `/api/notebooks/${line.slug}/pages/${page!.id}`, { token: line.token, body });
  };

  it.each(['600', '640', '664'])('stays readable for whom it was: %s', async octal => {
    const mode = Number.parseInt(octal, 8);
    const file = line.write('one.md', '# One\n');
    chmodSync(file, mode);
    await line.octavo('push', file);
    await changeThere();
    expect(await line.octavo('pull', line.slug)).toBe(0);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['# One\n\ntheirs\n', mode]);
  });

  it('stays a link, and what it leads to is replaced', async () => {
    mkdirSync(line.at('elsewhere'));
    const file = line.write('elsewhere/one.md', '# One\n');
    symlinkSync(file, line.at('one.md'));
    await line.octavo('push', line.at('one.md'));
    await changeThere();
    expect(await line.octavo('pull', line.slug)).toBe(0);
    expect([lstatSync(line.at('one.md')).isSymbolicLink(), readFileSync(file, 'utf8')]).toEqual([true, '# One\n\ntheirs\n']);
    expect(readdirSync(line.at('elsewhere'))).toEqual(['one.md']);
  });
});

describe('a page that cannot be written where it belongs', () => {
  const line = useCommandLine();
  const write = async (name: string, text: string) => {
    await line.octavo('push', line.write(name, text));
    return (await line.pages())[0]!.id;
  };
  const change = async (page: string, body: object) => {
    const address = `/api/notebooks/${line.slug}/pages/${page}`;
    expect((await line.app.ask('PATCH', address, { token: line.token, body })).statusCode).toBe(200);
  };
  const add = async (title: string) => {
    const body = { title, markdown: `${title}\n` };
    return (await line.app.ask('POST', `/api/notebooks/${line.slug}/pages`, { token: line.token, body })).json().id as string;
  };
  const filesIn = (folder: string) =>
    readdirSync(line.at(folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(line.at(folder).length + 1))
      .sort();

  it.each([
    [
      ['plan.md', 'plan.md/notes.md'],
      ['02-second.md', 'plan.md'],
    ],
    [
      ['plan.md/notes.md', 'plan.md'],
      ['02-second.md', 'plan.md/notes.md'],
    ],
    [
      [`${'\u3042'.repeat(90)}.md`, `${'d'.repeat(256)}/a.md`],
      ['01-first.md', '02-second.md'],
    ],
  ])('gets another name, because no disk has both or takes it: %j', async (paths, names) => {
    const pages = [await write('first.md', '# First\n'), await add('Second')];
    for (const [at, path] of paths.entries()) await change(pages[at]!, { file: { path } });
    expect(await line.octavo('pull', line.slug, line.at('again'))).toBe(0);
    expect(filesIn('again')).toEqual(names);
  });

  it('is named by its first line where it has no title', async () => {
    await write('first.md', '# First\n');
    for (const markdown of ['Milk & eggs\n\nwords\n', ''])
      await line.app.ask('POST', `/api/notebooks/${line.slug}/pages`, { token: line.token, body: { markdown } });
    expect(await line.octavo('pull', line.slug, line.at('again'))).toBe(0);
    expect(filesIn('again')).toEqual(['02-milk-eggs.md', '03-untitled-page.md', 'first.md']);
  });

  it('is named where a folder of that name is there, and the others are written', async () => {
    await change(await write('plan.md', '# Plan\n'), { file: { path: 'plan.md' } });
    await add('Second');
    mkdirSync(line.at('again/plan.md'), { recursive: true });
    expect(await line.octavo('pull', line.slug, line.at('again'))).toBe(1);
    expect(line.said.join('\n')).toMatch(/again\/plan\.md: cannot be written: EISDIR/);
    expect(filesIn('again')).toEqual(['02-second.md']);
  });

  it('holds nobody up with a patch that is none', async () => {
    const patch = '--- page\n+++ file\n@@ -1,5 +1,5 @@\n-nothing of the kind\n';
    await change(await write('plan.md', '# Plan\n'), { file: { path: 'plan.md', patch } });
    await add('Second');
    expect(await line.octavo('pull', line.slug, line.at('again'))).toBe(0);
    expect(line.said.join('\n')).toContain('1 part of the file');
    expect(filesIn('again')).toEqual(['02-second.md', 'plan.md']);
    expect(readFileSync(line.at('again/plan.md'), 'utf8')).toBe('# Plan\n');
  });

  it('is written where its name is nearly too long for the disk', async () => {
    const name = `${'n'.repeat(252)}.md`;
    await change(await write(name, '# Plan\n'), { markdown: '# Plan\n\nmore\n' });
    expect(await line.octavo('pull', line.slug)).toBe(0);
    expect(readFileSync(line.at(name), 'utf8')).toBe('# Plan\n\nmore\n');
    expect(readdirSync(line.home).filter(one => one.endsWith('.part'))).toEqual([]);
  });
});

describe('pages of a zip archive', () => {
  const line = useCommandLine();
  afterEach(() => vi.restoreAllMocks());
  const archive = { 'notes/a.md': '# A\n\n[b](../b.md) %%mine%%\n', 'b.md': '# B\n' };
  it.each([
    ['beside it', () => {}],
    ['after it was deleted', () => rmSync(line.at('vault.zip'))],
  ])('are pulled into a folder of the slug %s, and pushed from there', async (_, before) => {
    vi.spyOn(process, 'cwd').mockReturnValue(line.home);
    await line.octavo('push', line.write('vault.zip', zip(archive)));
    const { slug } = line;
    before();
    expect(await line.octavo('pull', slug)).toBe(0);
    for (const [path, text] of Object.entries(archive)) expect(readFileSync(line.at(join(slug, path)), 'utf8')).toBe(text);
    line.write(join(slug, 'b.md'), '# B\n\nmore\n');
    expect(await line.octavo('push', line.at(slug))).toBe(0);
    expect((await line.pages(slug)).map(({ markdown }) => markdown)).toContain('# B\n\nmore\n');
    expect(await line.pages(slug)).toHaveLength(2);
    expect(await line.octavo('pull', slug)).toBe(0);
  });

  it('keep their place in a folder that is only called like one', async () => {
    mkdirSync(line.at('notes.zip'));
    await line.octavo('push', line.write('notes.zip/a.md', '# A\n'));
    expect(await line.octavo('pull', line.slug)).toBe(0);
    expect(line.said.at(-1)).toMatch(/notes\.zip\/a\.md: unchanged$/);
  });
});

describe('a page that another person with the edit token calls by the name of a file', () => {
  const line = useCommandLine();

  it.each([
    ['.envrc', '01-plan.md'],
    ['.ssh/rc', '01-plan.md'],
    ['notes/.git/hooks/post-checkout.md', '01-plan.md'],
    ['Makefile', '01-plan.md'],
    ['site/index.html', '01-plan.md'],
    ['notes/a.b/Plan 2.MD', 'notes/a.b/Plan 2.MD'],
  ])('%s: a pull writes %s', async (path, written) => {
    await line.octavo('push', line.write('plan.md', '# Plan\n'));
    const [page] = await line.pages();
    const body = { markdown: 'curl http://evil.example\n', title: 'Plan', file: { path } };
    const address = `/api/notebooks/${line.slug}/pages/${page!.id}`;
    expect((await line.app.ask('PATCH', address, { token: line.token, body })).statusCode).toBe(200);
    expect(await line.octavo('pull', line.slug, line.at('again'))).toBe(0);
    const names = readdirSync(line.at('again'), { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
    expect(names.map(({ parentPath, name }) => join(parentPath, name).slice(line.at('again').length + 1))).toEqual([written]);
  });

  it('an image is written only where an image may lie', async () => {
    await line.octavo('push', line.write('plan.md', '# Plan\n'));
    const [page] = await line.pages();
    const asked: string[] = [];
    line.onTheWay = (_method, at, answer) => {
      asked.push(at);
      return answer();
    };
    const images = ['.ssh/rc', 'Makefile', '.icons/a.png'].map(name => `image http://x.example/1 ${encodeURIComponent(name)}\n`);
    const patch = `${images.join('')}--- page\n+++ file\n@@ -1,1 +1,1 @@\n-# Plan\n+# File\n`;
    const address = `/api/notebooks/${line.slug}/pages/${page!.id}`;
    await line.app.ask('PATCH', address, { token: line.token, body: { markdown: '# Plan\n', file: { path: 'plan.md', patch } } });
    expect(await line.octavo('pull', line.slug, line.at('again'))).toBe(0);
    expect(readFileSync(line.at('again/plan.md'), 'utf8')).toBe('# File\n');
    expect(asked.filter(at => at.endsWith('/images'))).toEqual([]);
  });
});

describe('an edit link in the place of a slug', () => {
  const line = useCommandLine();
  const editToken = 't0kEn-_'.repeat(7).slice(0, 43);
  const editLink = `https://notes.example/e/${editToken}`;

  it.each([
    ['pull', editLink],
    ['pull', editToken],
    ['pull', `${editLink}/print`],
    ['push', 'one.md', '--notebook', editLink],
    ['take-down', editLink],
  ])('is named and not repeated: %s', async (...words) => {
    expect(await line.octavo(...(words as [string, ...string[]]))).toBe(2);
    expect(line.said.join()).toContain('that is an edit link');
    expect(line.said.join()).not.toContain('t0kEn');
  });
});
