import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import { aPicture } from '../images/pictures.ts';
import { useCommandLine } from '../support/command-line.ts';
import { makeImageFolder } from '../support/image-folder.ts';

/** As on a network that swallows packets, but at once. */
const swallowed = () => Promise.reject(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));

describe('octavo push, of much or where the server stops answering', () => {
  const images = makeImageFolder();
  const line = useCommandLine(images.env);
  afterAll(() => images.remove());

  /** Seven pages: JSON needs six bytes for each of these characters, so together they are larger than a request may be. */
  const writeLarge = (): string => {
    const vault = line.at('vault');
    mkdirSync(vault);
    for (let page = 1; page <= 7; page++) writeFileSync(`${vault}/${page}.md`, `# Page ${page}\n\n${'\u0001'.repeat(240_000)}\n`);
    return vault;
  };
  const headings = async () => (await line.pages()).map(({ markdown }) => markdown.slice(0, markdown.indexOf('\n')));
  const all = [1, 2, 3, 4, 5, 6, 7].map(page => `# Page ${page}`);

  it('pages that do not fit into one request are added by further ones, in their order', async () => {
    const vault = writeLarge();
    const sent: string[] = [];
    line.onTheWay = (method, path, answer) => {
      if (method === 'POST') sent.push(path);
      return answer();
    };
    expect([await line.octavo('push', vault), line.said]).toEqual([
      0,
      expect.arrayContaining([expect.stringMatching(/of 7 pages/)]),
    ]);
    expect(await headings()).toEqual(all);
    expect(sent.filter(path => path.endsWith('/pages')).length).toBeGreaterThan(0);
    expect(6 * 240_000 * 7).toBeGreaterThan(limits.maxBodyBytes);
  });

  it('a failure in the middle says what is there, and the next push adds the rest', async () => {
    const vault = writeLarge();
    let added = 0;
    line.onTheWay = (method, path, answer) =>
      method === 'POST' && path.endsWith('/pages') && ++added > 1 ? swallowed() : answer();
    expect(await line.octavo('push', vault)).toBe(1);
    expect(line.said.join('\n')).toMatch(/Made a notebook of 6 of 7 pages/);
    expect(line.said.join('\n')).toMatch(/7\.md: .*does not answer/);
    line.onTheWay = (_method, _path, answer) => answer();
    expect(await line.octavo('push', vault)).toBe(0);
    expect(await headings()).toEqual(all);
  });

  it('stops at the first file that the server does not answer, and names what was not sent', async () => {
    const files = ['one', 'two', 'three', 'four'].map(name => line.write(`${name}.md`, `# ${name}\n`));
    await line.octavo('push', ...files);
    for (const name of ['one', 'two', 'three', 'four']) line.write(`${name}.md`, `# ${name}\n\nmore\n`);
    let changed = 0;
    line.onTheWay = (method, _path, answer) => (method === 'PATCH' && ++changed > 1 ? swallowed() : answer());
    expect(await line.octavo('push', ...files)).toBe(1);
    expect(changed).toBe(2);
    const said = line.said.join('\n');
    expect(said).toMatch(/one\.md: changed\n.*two\.md: .*does not answer/);
    expect(said).toMatch(/not sent: \S*three\.md, \S*four\.md\. What was sent stays/);
  });

  it('an image that the server does not answer ends the push before any page', async () => {
    const vault = line.at('vault');
    mkdirSync(vault);
    writeFileSync(`${vault}/one.md`, '# One\n');
    await line.octavo('push', vault);
    writeFileSync(`${vault}/one.md`, '# One\n\n![A](a.png) ![B](b.png)\n');
    for (const name of ['a.png', 'b.png']) writeFileSync(`${vault}/${name}`, await aPicture('png'));
    let sent = 0;
    line.onTheWay = (method, path, answer) =>
      method === 'POST' && path.endsWith('/images') && ++sent > 0 ? swallowed() : answer();
    expect(await line.octavo('push', vault)).toBe(1);
    expect(sent).toBe(1);
    expect(line.said.join('\n')).toMatch(/images were not sent: b\.png\.\nStopped\. These files were not sent: one\.md\./);
    expect(await headings()).toEqual(['# One']);
  });
});
