import { afterEach, describe, expect, it, vi } from 'vitest';
import { type TextKey, TextTracker } from '../../src/model/text-tracker.ts';
import { streamMarkdown } from '../../src/operations/read-notebook.ts';
import { indexAll } from '../store/contract/subject.ts';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp | undefined;
afterEach(() => app?.close());

describe.each(engines)('texts that ended the process twice, on $name', engine => {
  it('are not searched, and every look at another text is told', async () => {
    const told: (TextKey | undefined)[] = [];
    const texts = new TextTracker(text => told.push(text));
    app = await startNotebookApp({ engine, overrides: { texts } });
    const { store } = app.parts;
    const {
      slug,
      pages,
      editToken: token,
    } = await app.create({
      visibility: 'public',
      pages: [{ markdown: '# Bad\n\n**giraffe** words' }, { markdown: '# Good\n\n**giraffe** letters' }],
    });
    const [bad, good] = pages.map(({ id, revision }) => ({ id, revision })) as [TextKey, TextKey];
    for (const at of [1, 1, 2]) {
      // The same ending told twice counts once.
      expect(await store.listUnsafeTexts()).toEqual([]);
      await store.noteTextEnding({ ...bad, at });
    }
    await store.noteTextEnding({ ...good, at: 1 });
    await store.noteTextEnding({ id: 'no-such-page', revision: 1, at: 1 });
    texts.setUnsafe(await store.listUnsafeTexts());
    await indexAll(store);
    const search = await app.ask('GET', '/api/search?q=giraffe');
    expect(search.body).toContain('letters');
    expect(search.json().items).toHaveLength(1);
    for (const [at, door] of ['', '/print', '/find?q=giraffe', '.md', `/p/${good.id}`].entries()) {
      // What was kept finished is of another version now: it would be answered without a look at its text.
      await app.ask('PATCH', `/api/notebooks/${slug}`, { token, body: { paper: at % 2 === 0 ? 'grid' : 'lined' } });
      told.length = 0;
      expect((await app.ask('GET', `/n/${slug}${door}`)).statusCode).toBe(200);
      if (door !== '') expect(told, door).toContainEqual(good);
      expect(told.at(-1), door).toBeUndefined();
    }
    expect((await app.ask('GET', `/n/${slug}`)).body).toContain('This page is shown as plain text');
    expect(await store.listUnsafeTexts()).toEqual([bad]);
    const changed = { token, body: { markdown: 'harmless' } };
    expect((await app.ask('PATCH', `/api/notebooks/${slug}/pages/${bad.id}`, changed)).statusCode).toBe(200);
    expect(await store.listUnsafeTexts()).toEqual([]);
    await store.deleteNotebook({ ...(await ownerOf(app, slug)) }, 0);
    expect(await store.listUnsafeTexts()).toEqual([]);
  });

  it('are not looked at by doors that have something to show without them, and what is shown of them is not kept', async () => {
    const told: (TextKey | undefined)[] = [];
    const texts = new TextTracker(text => told.push(text));
    app = await startNotebookApp({ engine, overrides: { texts } });
    const { store } = app.parts;
    const { slug, pages, editToken } = await app.create({
      visibility: 'public',
      pages: [{ markdown: '# Bad\n\n**giraffe** words' }, { markdown: '# Good\n\n**giraffe** letters' }],
    });
    const [bad, good] = pages.map(({ id, revision }) => ({ id, revision })) as [TextKey, TextKey];
    // It was searched before it ended the process.
    await indexAll(store);
    texts.setUnsafe([bad]);
    const doors = { '/find?q=giraffe': 'letters', '.md': '**giraffe** words', '/feed.atom': 'letters' };
    for (const [door, words] of Object.entries(doors)) {
      told.length = 0;
      expect((await app.ask('GET', `/n/${slug}${door}`)).body, door).toContain(words);
      expect(told, door).toContainEqual(good);
      expect(told, door).not.toContainEqual(bad);
    }
    expect((await app.ask('GET', `/n/${slug}/feed.atom`)).body).not.toContain('words');
    // As a notebook is sent that does not fit into one answer.
    told.length = 0;
    const { id } = (await store.findNotebookBySlug(slug))!;
    const read = async function* () {
      yield* await store.listPages(id);
    };
    let streamed = '';
    for await (const piece of streamMarkdown({ texts }, read())) streamed += piece;
    expect(streamed).toContain('# Bad\n\n**giraffe** words');
    expect([told.some(text => text?.id === good.id), told.some(text => text?.id === bad.id)]).toEqual([true, false]);
    told.length = 0;
    const { items } = (await app.ask('GET', '/api/search?q=giraffe')).json();
    expect(items.map((item: { pageId: string; snippet: unknown }) => [item.pageId === bad.id, item.snippet])).toContainEqual([
      true,
      [],
    ]);
    expect(told).not.toContainEqual(bad);
    const keep = vi.spyOn(store, 'keepFinishedPage');
    // A version that nothing is kept of.
    await app.ask('PATCH', `/api/notebooks/${slug}`, { token: editToken, body: { paper: 'grid' } });
    expect((await app.ask('GET', `/n/${slug}`)).body).toContain('This page is shown as plain text');
    expect((await app.ask('GET', `/n/${slug}/p/${good.id}`)).body).toContain('<strong>giraffe</strong> letters');
    await expect.poll(() => keep.mock.calls.map(([id]) => id)).toEqual([good.id]);
  });
});

async function ownerOf({ parts }: NotebookApp, slug: string) {
  const { id, editTokenHash } = (await parts.store.findNotebookBySlug(slug))!;
  return { kind: 'owner', notebookId: id, editTokenHash } as Parameters<typeof parts.store.deleteNotebook>[0];
}
