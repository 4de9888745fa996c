import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { aPicture } from '../images/pictures.ts';
import { useCommandLine } from '../support/command-line.ts';
import { makeImageFolder } from '../support/image-folder.ts';

const images = makeImageFolder();
const line = useCommandLine(images.env);
afterAll(() => images.remove());

const notUploaded = /^private\.png: not uploaded, because only pulled text names it/m;
let slug: string;
let token: string;

/** A folder with a page, a picture that it shows, and one that it doesn't; the notebook is open for editing. */
beforeEach(async () => {
  mkdirSync(line.at('notes'));
  line.write('notes/plan.md', '# Plan\n\n![A hill](hill.png)\n');
  line.write('notes/hill.png', await aPicture('png'));
  line.write('notes/private.png', await aPicture('png', { width: 9 }));
  expect(await push()).toBe(0);
  ({ slug, token } = line);
  await change({ openEditing: true }, `/api/notebooks/${slug}`, token);
  line.said = [];
});

const push = (...flags: string[]) => line.octavo('push', line.at('notes'), ...flags);
const pull = () => line.octavo('pull', slug);
const uploaded = async () => (await line.app.ask('GET', `/api/notebooks/${slug}/images`, { token })).json().items.length;
const pageText = async () => (await line.pages(slug))[0]!.markdown;

async function change(body: object, address: string, by?: string): Promise<void> {
  const answer = await line.app.ask('PATCH', address, { body, ...(by === undefined ? {} : { token: by }) });
  expect(answer.statusCode).toBe(200);
}

async function visitorAdds(text: string): Promise<void> {
  const [page] = await line.pages(slug);
  await change({ markdown: `${page!.markdown}${text}` }, `/api/notebooks/${slug}/pages/${page!.id}`);
}

it('a picture that a visitor named is not uploaded from the folder, in this push or a later one, until its owner says so', async () => {
  await visitorAdds('\n![Look](private.png)\n');
  expect(await pull()).toBe(0);
  expect(readFileSync(line.at('notes/plan.md'), 'utf8')).toContain('(private.png)');
  for (let time = 1; time <= 2; time += 1) {
    appendFileSync(line.at('notes/plan.md'), 'more\n');
    line.said = [];
    expect(await push()).toBe(1);
    expect(line.said.join('\n')).toMatch(notUploaded);
    expect(await uploaded()).toBe(1);
    // The change itself arrives.
    expect((await pageText()).match(/^more$/gm)).toHaveLength(time);
    expect(await pageText()).toContain('(private.png)');
    await pull();
  }
  expect(await push('--images')).toBe(0);
  expect(await uploaded()).toBe(2);
  expect(await pageText()).not.toContain('(private.png)');
  line.write('notes/private.png', await aPicture('png', { width: 10 }));
  expect(await push()).toBe(0);
  expect(await uploaded()).toBe(3);
});

it('nor is one that another person with the edit link put in the place of an uploaded one', async () => {
  const { items } = (await line.app.ask('GET', `/api/notebooks/${slug}/files`, { token })).json();
  const [page] = await line.pages(slug);
  const patch = items[0].patch.replaceAll('hill.png', 'private.png');
  await change({ markdown: page!.markdown, file: { path: 'plan.md', patch } }, `/api/notebooks/${slug}/pages/${page!.id}`, token);
  expect(await pull()).toBe(0);
  expect(readFileSync(line.at('notes/plan.md'), 'utf8')).toBe('# Plan\n\n![A hill](private.png)\n');
  expect(await push()).toBe(1);
  expect(line.said.join('\n')).toMatch(notUploaded);
  expect(await uploaded()).toBe(1);
});

it('nor by the page alone', async () => {
  await visitorAdds('\n![Look](private.png)\n');
  expect(await pull()).toBe(0);
  expect(await line.octavo('push', line.at('notes/plan.md'))).toBe(1);
  expect(line.said.join('\n')).toMatch(notUploaded);
  expect(await uploaded()).toBe(1);
});

it('a page with more such links than are remembered uploads nothing by them', async () => {
  await visitorAdds(`\n${Array.from({ length: 201 }, (_, at) => `![](x${at}.png)`).join('\n')}\n![](private.png)\n`);
  expect(await pull()).toBe(0);
  expect(await push()).toBe(1);
  expect(line.said.join('\n')).toMatch(notUploaded);
  expect(await uploaded()).toBe(1);
});

it('a picture that its owner names is uploaded, also when a visitor’s text names it too', async () => {
  await visitorAdds('\n![Look](private.png)\n');
  expect(await pull()).toBe(0);
  line.write('notes/other.md', '![Mine](private.png)\n');
  expect(await push()).toBe(0);
  expect(await uploaded()).toBe(2);
});

it('a picture that was pulled and then replaced here is uploaded, on another computer too', async () => {
  const kept = JSON.parse(readFileSync(line.at('.config/octavo/notebooks.json'), 'utf8')).notebooks[0];
  line.write('.config/octavo/notebooks.json', JSON.stringify({ notebooks: [{ ...kept, files: {}, images: {} }] }));
  rmSync(line.at('notes'), { recursive: true });
  expect(await line.octavo('pull', slug, line.at('notes'))).toBe(0);
  line.write('notes/hill.png', await aPicture('png', { width: 10 }));
  expect(await push()).toBe(0);
  expect(await uploaded()).toBe(2);
});
