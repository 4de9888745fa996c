import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { aPicture } from '../images/pictures.ts';
import { useCommandLine } from '../support/command-line.ts';
import { makeImageFolder } from '../support/image-folder.ts';

const images = makeImageFolder();
const line = useCommandLine(images.env);
afterAll(() => images.remove());

const texts = {
  'intro.md': '# Intro\n\n![A hill](img/hill.png) [[Plan]]\n',
  'sub/Plan.md': '# Plan\n\n![A hill](../img/hill.png)\n',
};

async function pushFolder(): Promise<{ slug: string; token: string }> {
  for (const folder of ['notes/sub', 'notes/img']) mkdirSync(line.at(folder), { recursive: true });
  for (const [path, text] of Object.entries(texts)) line.write(`notes/${path}`, text);
  line.write('notes/img/hill.png', await aPicture('png'));
  expect(await line.octavo('push', line.at('notes'))).toBe(0);
  return { slug: line.slug, token: line.token };
}
const textOf = async (slug: string) => (await line.pages(slug)).map(({ markdown }) => markdown).join('');
const filesOf = async (slug: string, token: string): Promise<unknown[]> =>
  (await line.app.ask('GET', `/api/notebooks/${slug}/files`, { token })).json().items;

it('a file of a pushed folder, pushed by itself, stays what it was in the folder', async () => {
  const { slug, token } = await pushFolder();
  const before = { text: await textOf(slug), files: await filesOf(slug, token) };
  for (const path of Object.keys(texts)) {
    line.said = [];
    expect(await line.octavo('push', line.at(`notes/${path}`))).toBe(0);
    expect(line.said[0]).toMatch(/\.md: unchanged$/);
  }
  expect({ text: await textOf(slug), files: await filesOf(slug, token) }).toEqual(before);
  expect(before.text).not.toContain('(img/');
});

it('its change reaches the page, beside the picture and the link that it had', async () => {
  const { slug, token } = await pushFolder();
  const before = await textOf(slug);
  appendFileSync(line.at('notes/intro.md'), 'more\n');
  expect(await line.octavo('push', line.at('notes/intro.md'))).toBe(0);
  expect(await textOf(slug)).toBe(before.replace('Plan.md)\n', 'Plan.md)\nmore\n'));
  expect(await filesOf(slug, token)).toMatchObject([{ path: 'intro.md' }, { path: 'sub/Plan.md' }]);
});

it('the same holds for a file that was pulled', async () => {
  const { slug } = await pushFolder();
  const before = await textOf(slug);
  expect(await line.octavo('pull', slug, line.at('copy'))).toBe(0);
  expect(readFileSync(line.at('copy/intro.md'), 'utf8')).toBe(texts['intro.md']);
  appendFileSync(line.at('copy/sub/Plan.md'), 'more\n');
  expect(await line.octavo('push', line.at('copy/sub/Plan.md'))).toBe(0);
  expect(await textOf(slug)).toBe(`${before}more\n`);
});
