import { copyFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import { type Database, sqlite } from '../support/engines.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

/** What a reader has in its cache may be of before: of a database that was put back since, of another address of the service. */
let database: Database;
let app: NotebookApp | undefined;
let now: number | undefined;
beforeEach(async () => {
  database = await sqlite.createDatabase();
});
afterEach(async () => {
  await end();
  now = undefined;
  database.remove();
});

async function end(): Promise<void> {
  now = app?.clock.now ?? now;
  await app?.close();
  app = undefined;
}

async function start(publicUrl = 'http://localhost'): Promise<void> {
  await end();
  app = await startNotebookApp({ env: { DATABASE_URL: database.url, PUBLIC_URL: publicUrl } });
  if (now !== undefined) app.clock.now = now;
}

type Doors = Readonly<Record<string, string>>;

const doorsOf = ({ slug }: CreatedNotebook, publicUrl: string): Doors => ({
  view: `/n/${slug}`,
  '.md': `/n/${slug}.md`,
  print: `/n/${slug}/print`,
  feed: `/n/${slug}/feed.atom`,
  card: `/n/${slug}/card.png`,
  book: `/n/${slug}.epub`,
  frame: `/n/${slug}/embed`,
  oEmbed: `/oembed?url=${encodeURIComponent(`${publicUrl}/n/${slug}`)}`,
  API: `/api/notebooks/${slug}`,
});

/** Each door's tag, of an answer that was sent whole, once it stays: what a busy machine shows plain for now has another. */
async function readTags(doors: Doors): Promise<Doors> {
  let [before, tags] = [{}, await lookAt(doors)];
  const stay = async () => {
    [before, tags] = [tags, await lookAt(doors)];
    return Object.keys(tags).length === Object.keys(doors).length && isDeepStrictEqual(tags, before);
  };
  await expect.poll(stay, { timeout: 80_000 }).toBe(true);
  return tags;
}

async function lookAt(doors: Doors): Promise<Doors> {
  const tags: Record<string, string> = {};
  for (const [name, door] of Object.entries(doors)) {
    const answer = await app!.ask('GET', door);
    expect([name, answer.statusCode]).toEqual([name, 200]);
    // A large print has a tag once it was sent whole.
    if (answer.headers.etag !== undefined) tags[name] = String(answer.headers.etag);
  }
  return tags;
}

/** The doors that still answer that the reader has it all. */
async function unchanged(doors: Doors, tags: Doors): Promise<string[]> {
  const names: string[] = [];
  for (const [name, door] of Object.entries(doors)) {
    const tag = tags[name];
    const answer = await app!.ask('GET', door, { headers: tag === undefined ? {} : { 'if-none-match': tag } });
    if (answer.statusCode === 304) names.push(name);
  }
  return names;
}

const fillerOf = (bytes: number) => `${'word '.repeat(19)}\n\n`.repeat(Math.ceil(bytes / 97));
const create = (words: string, filler = '') =>
  app!.create({ visibility: 'public', embedding: true, title: 'Kept', pages: [{ markdown: `# ${words}\n\n${filler}` }] });

describe('no door answers 304', () => {
  it.each([
    ['short', 0],
    ['large', limits.wholeNotebookBytes],
  ])(
    'to who read a %s notebook before a backup was put back, and another text was written since',
    async (_size, bytes) => {
      const filler = fillerOf(bytes);
      await start();
      const file = fileURLToPath(database.url.replace('sqlite:', 'file://'));
      const made = await create('As it was', filler);
      const doors = doorsOf(made, 'http://localhost');
      const write = async (title: string) => {
        app!.clock.now += 1_000;
        const path = `/api/notebooks/${made.slug}`;
        await app!.ask('PATCH', path, { token: made.editToken, body: { title } });
        const body = { markdown: `# ${title}\n\n${filler}` };
        const answer = await app!.ask('PATCH', `${path}/pages/${made.pages[0]!.id}`, { token: made.editToken, body });
        expect(answer.statusCode).toBe(200);
      };
      await end();
      await copyFile(file, `${file}.backup`);
      await start();
      await write('Lost with the disk');
      const lost = await readTags(doors);
      await end();
      await copyFile(`${file}.backup`, file);
      await start();
      await write('Written since');
      // Sent to another reader, so that a memory of what was sent whole knows this one.
      const written = await readTags(doors);
      expect(await unchanged(doors, lost)).toEqual([]);
      expect(await unchanged(doors, written)).toEqual(Object.keys(doors));
    },
    240_000,
  );

  it('that shows the service’s address, to who read it at another one', async () => {
    await start('http://old.example');
    const made = await create('Words');
    const before = await readTags(doorsOf(made, 'http://old.example'));
    await start('http://new.example');
    const doors = doorsOf(made, 'http://new.example');
    await readTags(doors);
    const same = await unchanged(doors, before);
    for (const name of ['view', 'feed', 'oEmbed', 'print', 'book']) expect(same).not.toContain(name);
  });
});
