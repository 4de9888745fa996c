import { unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { notebookZip } from './notebook-zip.ts';

it('links lead from a folder up to the images', () => {
  const url = 'https://i.example/1';
  const page = (path: string) => ({ id: path, title: 'P', markdown: `# P\n\n![](${url})\n`, file: { path, patch: '' } });
  const pages = [...['P.md', 'a/P.md', 'a/b/P.md'].map(page), { id: 'new', title: 'N', markdown: `# N\n\n![](${url})` }];
  const images = [{ url, type: 'image/webp', bytes: Buffer.from('x') }];
  const files = unzipSync(notebookZip({ title: 'N', pages, images }, Date.UTC(2026, 2, 1)).bytes);
  expect(
    Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, /\]\((.*)\)/.exec(`${Buffer.from(bytes)}`)?.[1]])),
  ).toEqual({
    'P.md': 'images/01.webp',
    'a/P.md': '../images/01.webp',
    'a/b/P.md': '../../images/01.webp',
    '04-n.md': 'images/01.webp',
    'images/01.webp': undefined,
  });
});
