import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as calls from '../../src/api/calls.ts';
import { createMemoryStore } from '../../src/objects/memory.ts';
import { aPicture } from '../images/pictures.ts';
import { type AskOptions, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const table = { ...calls };
type Name = keyof typeof table;

let app: NotebookApp;
beforeAll(async () => {
  app = await startNotebookApp({ overrides: { objects: createMemoryStore({ publicUrl: 'http://images.example' }) } });
});
afterAll(() => app.close());

interface Described {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Parameters<typeof Compile>[0] }>> }>
  >;
}

async function readDocument(): Promise<Readonly<Record<string, Readonly<Record<string, Described>>>>> {
  return (await app.ask('GET', '/api/openapi.json')).json().paths;
}

/** As OpenAPI writes it: `patch /api/notebooks/{slug}`. */
function operationOf(name: Name): string {
  const { method, path } = table[name];
  const names = name.includes('Image') ? ['{slug}', '{imageId}'] : ['{slug}', '{pageId}', '{snapshotId}'];
  if (name.includes('Comment')) names[1] = '{commentId}';
  if (name.endsWith('Snapshot')) names[1] = '{snapshotId}';
  return `${method.toLowerCase()} ${(path as (...names: string[]) => string)(...names)}`;
}

const all = Object.keys(table) as Name[];

it('every call is an operation of the OpenAPI document, and every operation a call', async () => {
  const document = await readDocument();
  const described = Object.entries(document).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method} ${path}`),
  );
  expect(all.map(operationOf).sort()).toEqual(described.sort());
});

describe('what each call answers is what its schema says', () => {
  const seen = new Set<Name>();

  async function ask(name: Name, names: readonly string[], { query = '', ...options }: AskOptions & { query?: string } = {}) {
    const { method, path } = table[name];
    const address = (path as (...names: readonly string[]) => string)(...names);
    const answer = await app.ask(method, address + query, options);
    const [verb, pattern] = operationOf(name).split(' ') as [string, string];
    const described = (await readDocument())[pattern]?.[verb]?.responses[answer.statusCode];
    expect([name, answer.statusCode < 400, described !== undefined]).toEqual([name, true, true]);
    const schema = described?.content?.['application/json']?.schema;
    if (answer.statusCode === 204 || answer.statusCode === 303) expect(answer.body).toBe('');
    else expect([name, ...Compile(schema!).Errors(answer.json())]).toEqual([name]);
    seen.add(name);
    return answer.body === '' ? undefined : answer.json();
  }

  it.each([
    ['of a few words', '# One\n\nwords'],
    ['of so much text that it goes out in pieces', `# One\n\n${'é "word" \\ '.repeat(40_000)}`],
  ])('from the first call to the last, a notebook %s', async (_, markdown) => {
    seen.clear();
    await ask('ping', []);
    await ask('checkSlug', ['a-free-one']);
    const pages = [{ markdown, file: { path: 'one.md' } }, { markdown }];
    const made = await ask('createNotebook', [], { body: { title: 'Calls', visibility: 'public', comments: true, pages } });
    const { slug } = made.notebook;
    const pageId: string = made.notebook.pages[0].id;
    const token: string = made.editToken;
    await ask('createFromText', [], { body: { markdown }, headers: { accept: 'application/json' } });
    await ask('readOwnNotebook', [], { token });
    await ask('readNotebook', [slug]);
    await ask('readNotebook', [slug], { token });
    await ask('search', [], { query: '?q=words' });
    await ask('listPageFiles', [slug], { token });
    const added = await ask('addPage', [slug], { token, body: { markdown } });
    await ask('readPage', [slug, added.id]);
    for (const change of [1, 2])
      await ask('changePage', [slug, pageId], { token, body: { markdown: `${markdown}, changed ${change}` } });
    const { items } = await ask('listSnapshots', [slug, pageId], { token });
    await ask('readSnapshot', [slug, items[0].id], { token });
    await ask('readSnapshotOfPage', [slug, pageId, items[0].id], { token });
    await ask('restoreSnapshot', [slug, items[0].id], { token });
    await ask('restoreSnapshotOfPage', [slug, pageId, items[1].id], { token });
    await ask('deletePage', [slug, added.id], { token });
    const image = await ask('addImage', [slug], {
      token,
      body: await aPicture('png'),
      headers: { 'content-type': 'application/octet-stream' },
    });
    await ask('listImages', [slug], { token });
    await ask('deleteImage', [slug, image.id], { token });
    const comment = await ask('addComment', [slug], { body: { body: 'A question', pageId } });
    await ask('listComments', [slug]);
    await ask('deleteComment', [slug, comment.id], { token });
    await ask('reportNotebook', [slug], { body: { reason: 'spam' } });
    const { editToken } = await ask('rotateEditToken', [slug], { token });
    await ask('changeNotebook', [slug], { token: editToken, body: { password: 'open sesame' } });
    await ask('unlockNotebook', [slug], { body: { password: 'open sesame' } });
    await ask('changeNotebook', [slug], { token: editToken, body: { password: null, burnAfterRead: true } });
    await ask('openOnce', [slug]);
    await ask('deleteNotebook', [slug], { token: editToken });
    expect(all.filter(name => !seen.has(name))).toEqual([]);
  });
});
