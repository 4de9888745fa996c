import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { aPicture } from '../images/pictures.ts';
import { type CommandLine, useCommandLine } from '../support/command-line.ts';
import { makeImageFolder } from '../support/image-folder.ts';

describe('octavo push and pull, where answers fail', () => {
  const images = makeImageFolder();
  const line = useCommandLine(images.env);
  afterAll(() => images.remove());

  const lost = () => Promise.reject(new TypeError('fetch failed'));
  const loseAddedPage: CommandLine['onTheWay'] = async (method, path, answer) => {
    const arrived = await answer();
    return method === 'POST' && path.endsWith('/pages') ? lost() : arrived;
  };
  const busy = async () => Response.json({ code: 'unavailable', title: 'Busy.' }, { status: 503 });

  it('a notebook whose answer was lost is created once, and its edit link is kept', async () => {
    const answered: number[] = [];
    line.onTheWay = async (_method, _path, answer) => {
      const { status } = await answer();
      return answered.push(status) === 1 ? lost() : answer();
    };
    expect(await line.octavo('push', line.write('one.md', '# One\n'))).toBe(0);
    expect(answered).toEqual([201, 200]);
    expect((await line.pages()).map(({ markdown }) => markdown)).toEqual(['# One\n']);
    expect(readFileSync(line.at('.config/octavo/notebooks.json'), 'utf8')).toContain(line.token);
  });

  it('a page whose answer was lost is added once', async () => {
    const one = line.write('one.md', '# One\n');
    await line.octavo('push', one);
    const two = line.write('two.md', '# Two\n');
    line.onTheWay = loseAddedPage;
    expect(await line.octavo('push', one, two)).toBe(1);
    line.onTheWay = (_method, _path, answer) => answer();
    line.write('two.md', '# Two\n\nmore\n');
    expect(await line.octavo('push', one, two)).toBe(0);
    expect((await line.pages()).map(({ markdown }) => markdown)).toEqual(['# One\n', '# Two\n\nmore\n']);
    expect(readFileSync(line.at('.config/octavo/notebooks.json'), 'utf8')).toContain('"adding": {}');
  });

  it('a page that was changed on the server after its answer was lost is not replaced unasked', async () => {
    const one = line.write('one.md', '# One\n');
    await line.octavo('push', one);
    const two = line.write('two.md', '# Two\n');
    line.onTheWay = loseAddedPage;
    await line.octavo('push', one, two);
    line.onTheWay = (_method, _path, answer) => answer();
    const { id } = (await line.pages())[1]!;
    await line.app.ask('PATCH', `/api/notebooks/${line.slug}/pages/${id}`, { token: line.token, body: { markdown: 'theirs\n' } });
    expect(await line.octavo('push', one, two)).toBe(1);
    expect(line.said.at(-2)).toContain('changed on the server since');
    expect((await line.pages()).map(({ markdown }) => markdown)).toEqual(['# One\n', 'theirs\n']);
  });

  it('a file keeps its comments where the server does not say what they were', async () => {
    const one = line.write('one.md', '# One\n\nfirst %%secret%%\n');
    await line.octavo('push', one);
    line.onTheWay = (_method, path, answer) => (path.endsWith('/files') ? busy() : answer());
    expect(await line.octavo('pull', line.slug)).toBe(1);
    expect(readFileSync(one, 'utf8')).toBe('# One\n\nfirst %%secret%%\n');
    expect(line.said.at(-1)).toContain('Busy.');
  });

  it('files that were pulled are remembered where their images cannot be had', async () => {
    const picture = await aPicture('png');
    const vault = line.at('vault');
    mkdirSync(vault);
    writeFileSync(join(vault, 'one.md'), '# One\n\n![A picture](hill.png)\n');
    writeFileSync(join(vault, 'hill.png'), picture);
    expect(await line.octavo('push', vault)).toBe(0);
    line.onTheWay = (method, path, answer) => (method === 'GET' && path.endsWith('/images') ? busy() : answer());
    expect(await line.octavo('pull', line.slug, line.at('again'))).toBe(1);
    expect(readFileSync(line.at('.config/octavo/notebooks.json'), 'utf8')).toContain(join(line.at('again'), 'one.md'));
  });

  it('an image is uploaded once, though no page could be changed', async () => {
    const vault = line.at('vault');
    mkdirSync(vault);
    writeFileSync(join(vault, 'one.md'), '# One\n');
    await line.octavo('push', vault);
    writeFileSync(join(vault, 'one.md'), '# One\n\n![A picture](hill.png)\n');
    writeFileSync(join(vault, 'hill.png'), await aPicture('png'));
    line.onTheWay = (method, _path, answer) => (method === 'PATCH' ? busy() : answer());
    for (const _ of [1, 2]) expect(await line.octavo('push', vault)).toBe(1);
    const { items } = (await line.app.ask('GET', `/api/notebooks/${line.slug}/images`, { token: line.token })).json();
    expect(items).toHaveLength(1);
  });
});
