import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeptNotebooks } from '../../src/commands/remote/kept-notebooks.ts';
import { useCommandLine } from '../support/command-line.ts';

describe('several octavo at once', () => {
  const line = useCommandLine();
  const keptPath = () => line.at('.config/octavo/notebooks.json');
  const kept = () => readFileSync(keptPath(), 'utf8');

  /** Holds back the answers of this call until so many have arrived. */
  const meet = (wanted: string, count: number) => {
    let arrived = 0;
    let go = () => {};
    const all = new Promise<void>(resolve => {
      go = resolve;
    });
    line.onTheWay = async (method, path, answer) => {
      const ready = await answer();
      if (`${method} ${path}` !== wanted) return ready;
      arrived += 1;
      if (arrived === count) go();
      await all;
      return ready;
    };
  };

  it('the edit links of two first pushes are both kept', async () => {
    const one = line.write('one.md', '# One\n');
    meet('POST /api/notebooks', 2);
    expect(await Promise.all([line.octavo('push', one), line.octavo('push', one)])).toEqual([0, 0]);
    const tokens = [...line.said.join('\n').matchAll(/\/e\/([\w-]{43})/g)].map(([, token]) => token!);
    expect(tokens).toHaveLength(2);
    for (const token of tokens) expect(kept()).toContain(token);
    line.said = [];
    expect(await line.octavo('push', one)).toBe(1);
    expect(line.said.join()).toContain('Say which with --notebook');
  });

  it('of two pushes of other files to one notebook each remembers its own', async () => {
    const one = line.write('one.md', '# One\n');
    await line.octavo('push', one);
    const [two, three] = [line.write('two.md', '# Two\n'), line.write('three.md', '# Three\n')];
    meet(`POST /api/notebooks/${line.slug}/pages`, 2);
    const push = (file: string) => line.octavo('push', file, '--notebook', line.slug);
    expect(await Promise.all([push(two), push(three)])).toEqual([0, 0]);
    line.onTheWay = (_method, _path, answer) => answer();
    expect(await line.octavo('push', one, two, three)).toBe(0);
    expect((await line.pages()).map(({ markdown }) => markdown).sort()).toEqual(['# One\n', '# Three\n', '# Two\n']);
  });

  it('a file that two pushes add to one notebook becomes one page', async () => {
    const one = line.write('one.md', '# One\n');
    await line.octavo('push', one);
    const two = line.write('two.md', '# Two\n');
    meet(`GET /api/notebooks/${line.slug}`, 2);
    expect(await Promise.all([line.octavo('push', one, two), line.octavo('push', one, two)])).toEqual([0, 0]);
    expect((await line.pages()).map(({ markdown }) => markdown)).toEqual(['# One\n', '# Two\n']);
  });

  it('a push that finds the file in another’s hands makes nothing, and says what to do', async () => {
    mkdirSync(dirname(keptPath()), { recursive: true });
    writeFileSync(`${keptPath()}.lock`, '');
    const notebooks = new KeptNotebooks({ env: { HOME: line.home } }, 50);
    const stuck = `If none is running any more, delete ${keptPath()}.lock and try again.`;
    await expect(notebooks.requireStorable()).rejects.toThrow(stuck);
    await expect(notebooks.keep({ server: 'http://a', slug: 'a', files: {} })).rejects.toThrow(stuck);
    expect(readdirSync(dirname(keptPath()))).toEqual(['notebooks.json.lock']);
  });

  it('wait for each other, and leave no lock behind', async () => {
    const notebooks = new KeptNotebooks({ env: { HOME: line.home } });
    const names = Array.from({ length: 20 }, (_, place) => `notebook-${place}`);
    await Promise.all(names.map(slug => notebooks.keep({ server: 'http://a', slug, editToken: slug, files: {} })));
    expect((await notebooks.list()).map(({ slug }) => slug).sort()).toEqual([...names].sort());
    expect(readdirSync(dirname(keptPath()))).toEqual(['notebooks.json']);
  });

  it('the record stays a link where it is one, and leaves nothing behind that could not be written', async () => {
    mkdirSync(line.at('dotfiles'));
    mkdirSync(dirname(keptPath()), { recursive: true });
    writeFileSync(line.at('dotfiles/notebooks.json'), '{"notebooks":[]}');
    symlinkSync(line.at('dotfiles/notebooks.json'), keptPath());
    await line.octavo('push', line.write('one.md', '# One\n'));
    expect(lstatSync(keptPath()).isSymbolicLink()).toBe(true);
    expect(readFileSync(line.at('dotfiles/notebooks.json'), 'utf8')).toContain(line.token);
    expect(readdirSync(line.at('dotfiles'))).toEqual(['notebooks.json']);
  });
});
