import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aVault } from '../import/vault.ts';
import { octavo as runOctavo } from '../support/octavo-command.ts';
import { octavoHere } from '../support/octavo-here.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';

describe('octavo push and pull', () => {
  const root = mkdtempSync(join(tmpdir(), 'octavo-push-'));
  let service: ServiceProcess;
  let home: string;
  let desk: string;
  beforeAll(async () => {
    service = await startService({ DATABASE_URL: `sqlite:${join(root, 'o.db')}` });
  });
  afterAll(async () => {
    await service.kill();
    rmSync(root, { recursive: true });
  });
  beforeEach(() => {
    home = mkdtempSync(join(root, 'home-'));
    desk = mkdtempSync(join(root, 'desk-'));
  });

  const octavo = (args: readonly string[], env: Record<string, string> = {}) =>
    octavoHere(args, { HOME: home, OCTAVO_SERVER: service.origin, ...env }, desk);
  /** The built program in its own process: for what that may change, and once for each command. */
  const builtOctavo = (args: readonly string[]) => runOctavo(args, { HOME: home, OCTAVO_SERVER: service.origin }, desk);
  const write = (name: string, text: string | Uint8Array) => writeFileSync(join(desk, name), text);
  const read = (name: string) => readFileSync(join(desk, name), 'utf8');
  const slugIn = (out: string) => /\/n\/([a-z0-9-]+)/.exec(out)![1]!;
  const tokenIn = (out: string) => /\/e\/([\w-]{43})/.exec(out)![1]!;
  const keptPath = () => join(home, '.config/octavo/notebooks.json');
  const ask = async (method: string, path: string, token?: string, body?: object) => {
    const headers = { ...(token ? { 'x-edit-token': token } : {}), ...(body ? { 'content-type': 'application/json' } : {}) };
    const answer = await fetch(service.origin + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    return answer.json() as Promise<{ pages: { id: string; title: string; markdown: string; revision: number }[] }>;
  };
  const pagesOf = async (slug: string) => (await ask('GET', `/api/notebooks/${slug}`)).pages;
  const pushTwo = async (run = octavo) => {
    write('one.md', '# One\n\nfirst\n');
    write('two.md', '# Two\n');
    const made = await run(['push', 'one.md', 'two.md']);
    expect(made).toMatchObject({ code: 0, err: '' });
    return { slug: slugIn(made.out), editToken: tokenIn(made.out) };
  };

  it('makes a notebook of the files once, and changes it from then on', async () => {
    const { slug } = await pushTwo();
    expect(await pagesOf(slug)).toMatchObject([{ title: 'One', markdown: '# One\n\nfirst\n' }, { title: 'Two' }]);
    write('one.md', '# One\n\nsecond\n');
    write('three.md', '# Three\n');
    const again = await builtOctavo(['push', 'one.md', 'two.md', 'three.md']);
    expect(again).toMatchObject({ code: 0, err: '' });
    expect(again.out).toMatch(/one\.md: changed\ntwo\.md: unchanged\nthree\.md: added\n/);
    expect(slugIn(again.out)).toBe(slug);
    expect((await pagesOf(slug)).map(({ title, revision }) => [title, revision])).toEqual([
      ['One', 2],
      ['Two', 1],
      ['Three', 1],
    ]);
  });

  it('pushes a vault and pulls the same files, without a word of what readers shall not see', async () => {
    const notes = Object.entries(aVault()).filter(([path]) => path.endsWith('.md')) as [string, string][];
    for (const [path, text] of notes) {
      mkdirSync(join(desk, 'vault', dirname(path)), { recursive: true });
      write(join('vault', path), text);
    }
    const made = await octavo(['push', 'vault']);
    expect(made).toMatchObject({ code: 0, err: '' });
    const slug = slugIn(made.out);
    expect(await builtOctavo(['pull', slug, 'again'])).toMatchObject({ code: 0, err: '' });
    const back = notes.map(([path]) => [path, read(join('again', path))]);
    expect(back).toEqual(notes);
    expect((await octavo(['push', 'vault'])).out).not.toMatch(/: (?:changed|added)/);
    for (const door of [`/n/${slug}.md`, `/api/notebooks/${slug}`, `/n/${slug}`, `/n/${slug}/print`]) {
      const text = await (await fetch(service.origin + door)).text();
      expect([door, /inline secret|secret remark|secret block|aliases/.exec(text)?.[0]]).toEqual([door, undefined]);
    }
    const pages = await pagesOf(slug);
    const idOf = (wanted: string) => pages.find(({ title }) => title === wanted)!.id;
    const view = await (await fetch(`${service.origin}/n/${slug}/p/${idOf('Start: here')}`)).text();
    const note7 = { id: idOf('Heading 7') };
    expect(view).toContain(`<a href="/n/${slug}/p/${note7.id}#user-content-part-two"`);
  });

  it('pushes no file that a pull could not give back, and names it', async () => {
    write('one.md', '# One\n');
    write('big.md', `# Big\n\n${'word %%secret%%\n\n'.repeat(6_000)}`);
    const made = await octavo(['push', 'one.md', 'big.md']);
    expect(made).toMatchObject({ code: 1, err: expect.stringMatching(/^big\.md: .*more than 65536 characters.*Split it/) });
    const slug = slugIn(made.out);
    expect((await pagesOf(slug)).map(({ title }) => title)).toEqual(['One']);
    const again = await octavo(['push', 'one.md', 'big.md']);
    expect(again).toMatchObject({ code: 1, err: expect.stringMatching(/^big\.md: /) });
    expect((await pagesOf(slug)).map(({ title }) => title)).toEqual(['One']);
    expect(await octavo(['push', 'big.md', '--new'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing was pushed.'),
    });
    expect(await octavo(['pull', slug])).toMatchObject({ code: 0 });
    expect(read('big.md')).toContain('%%secret%%');
  });

  it('leaves a file whose comments cannot be put back, unless told to replace it', async () => {
    write('one.md', '# One\n\nfirst %%secret%%\n');
    const made = await octavo(['push', 'one.md']);
    const slug = slugIn(made.out);
    const [page] = await pagesOf(slug);
    await ask('PATCH', `/api/notebooks/${slug}/pages/${page!.id}`, tokenIn(made.out), { markdown: '# Other\n\ntheirs\n' });
    const lacking = /^one\.md: 1 part of the file, such as comments, could not be put back/;
    expect(await octavo(['pull', slug])).toMatchObject({ code: 1, out: '', err: expect.stringMatching(lacking) });
    expect(read('one.md')).toBe('# One\n\nfirst %%secret%%\n');
    expect(await octavo(['pull', slug, '--force'])).toMatchObject({
      code: 0,
      out: 'one.md: replaced\n',
      err: expect.stringMatching(lacking),
    });
    expect(read('one.md')).toBe('# Other\n\ntheirs\n');
  });

  it('keeps edit tokens in a file that only its owner reads, in a folder that only its owner enters', async () => {
    const { editToken } = await pushTwo(builtOctavo);
    expect(readFileSync(keptPath(), 'utf8')).toContain(editToken);
    expect(statSync(keptPath()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, '.config/octavo')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(home, '.config/octavo'))).toEqual(['notebooks.json']);
  });

  it('never writes over what was changed on the server since, unless told to', async () => {
    const { slug, editToken } = await pushTwo();
    const [page] = await pagesOf(slug);
    await ask('PATCH', `/api/notebooks/${slug}/pages/${page!.id}`, editToken, { markdown: '# One\n\ntheirs\n' });
    write('one.md', '# One\n\nmine\n');
    write('two.md', '# Two\n\nmore\n');
    const refused = await builtOctavo(['push', 'one.md', 'two.md']);
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/^one\.md: the page was changed on the server since/) });
    expect(refused.out).toContain('two.md: changed');
    expect((await pagesOf(slug))[0]!.markdown).toBe('# One\n\ntheirs\n');
    expect(await octavo(['push', 'one.md', '--force'])).toMatchObject({ code: 0 });
    expect((await pagesOf(slug))[0]!.markdown).toBe('# One\n\nmine\n');
  });

  it('pulls into the files that were pushed, and leaves one that was changed here', async () => {
    const { slug, editToken } = await pushTwo();
    for (const { id, title } of await pagesOf(slug)) {
      await ask('PATCH', `/api/notebooks/${slug}/pages/${id}`, editToken, { markdown: `# ${title}\n\ntheirs\n` });
    }
    write('two.md', '# Two\n\nmine\n');
    const pulled = await octavo(['pull', slug]);
    expect(pulled).toMatchObject({
      code: 1,
      out: 'one.md: replaced\n',
      err: expect.stringMatching(/^two\.md: was changed here/),
    });
    expect(read('one.md')).toBe('# One\n\ntheirs\n');
    expect(read('two.md')).toBe('# Two\n\nmine\n');
    expect(await octavo(['pull', slug, '--force'])).toMatchObject({ code: 0 });
    expect(read('two.md')).toBe('# Two\n\ntheirs\n');
    write('one.md', '# One\n\nmine now\n');
    expect(await octavo(['push', 'one.md'])).toMatchObject({ code: 0, err: '' });
  });

  it('pulls a stranger’s notebook by its view link into a folder of its slug, with names that are safe everywhere', async () => {
    const { slug } = await pushTwo();
    const made = await fetch(`${service.origin}/api/notebooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pages: ['../../etc/passwd', 'Ünï code: 計画?', '   '].map(title => ({ title, markdown: 'x' })) }),
    });
    const other = ((await made.json()) as { notebook: { slug: string } }).notebook.slug;
    expect(await octavo(['pull', `${service.origin}/n/${other}`])).toMatchObject({ code: 0, err: '' });
    expect(readdirSync(join(desk, other)).sort()).toEqual([
      '01-etc-passwd.md',
      '02-ünï-code-計画.md',
      expect.stringMatching(/^03-/),
    ]);
    expect(slug).not.toBe(other);
  });

  it('opens a private and a locked notebook with what the environment gives', async () => {
    const { slug, editToken } = await pushTwo();
    await ask('PATCH', `/api/notebooks/${slug}`, editToken, { password: 'key', openEditing: true });
    const elsewhere = mkdtempSync(join(root, 'elsewhere-'));
    const env = { HOME: elsewhere };
    expect(await octavo(['pull', slug, 'a'], env)).toMatchObject({
      code: 1,
      err: expect.stringContaining('OCTAVO_PASSWORD'),
    });
    expect(await octavo(['pull', slug, 'a'], { ...env, OCTAVO_PASSWORD: 'nope' })).toMatchObject({ code: 1 });
    expect(await octavo(['pull', slug, 'a'], { ...env, OCTAVO_PASSWORD: 'key' })).toMatchObject({ code: 0, err: '' });
    write('a/01-one.md', '# One\n\nby a visitor\n');
    expect(await octavo(['push', 'a/01-one.md'], { ...env, OCTAVO_PASSWORD: 'key' })).toMatchObject({
      code: 0,
      err: '',
    });
    await ask('PATCH', `/api/notebooks/${slug}`, editToken, { visibility: 'private' });
    expect(await octavo(['pull', slug, 'b'], env)).toMatchObject({ code: 1 });
    expect(await octavo(['pull', slug, 'b'], { ...env, OCTAVO_EDIT_TOKEN: editToken })).toMatchObject({
      code: 0,
      err: '',
    });
    // With the edit token the files have their own names.
    expect(read('b/one.md')).toBe('# One\n\nby a visitor\n');
  });

  it('says what is wrong, and changes nothing then', async () => {
    write('latin.md', new Uint8Array([0x23, 0x20, 0xe9]));
    expect(await octavo(['push', 'latin.md'])).toMatchObject({ code: 1, err: expect.stringContaining('latin.md is not UTF-8') });
    expect(await octavo(['push', 'none.md'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no file none.md'),
    });
    expect(await octavo(['push'])).toMatchObject({ code: 2, err: expect.stringContaining('a file is missing') });
    expect(await octavo(['pull', 'No Slug'])).toMatchObject({ code: 2 });
    expect(await octavo(['pull', 'nobody-here'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is nothing here'),
    });
    write('one.md', '# One\n');
    const silent = { OCTAVO_SERVER: 'http://127.0.0.1:9' };
    expect(await octavo(['push', 'one.md'], silent)).toMatchObject({ code: 1, err: expect.stringContaining('does not answer') });
    mkdirSync(join(home, '.config/octavo'), { recursive: true });
    writeFileSync(keptPath(), '{ broken');
    expect(await octavo(['push', 'one.md'])).toMatchObject({ code: 1, err: expect.stringContaining('is damaged') });
    expect(readFileSync(keptPath(), 'utf8')).toBe('{ broken');
  });
});
