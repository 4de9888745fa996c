import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as schemas from '../../src/api/schemas.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
beforeAll(async () => {
  app = await startNotebookApp();
});
afterAll(() => app.close());

/** The operations of the contract; there may be more. */
const operations = [
  'post /api/notebooks',
  'post /api/quick',
  'get /api/slugs/{slug}',
  'get /api/notebook',
  'get /api/notebooks/{slug}',
  'patch /api/notebooks/{slug}',
  'delete /api/notebooks/{slug}',
  'post /api/notebooks/{slug}/token',
  'post /api/notebooks/{slug}/unlock',
  'post /api/notebooks/{slug}/open',
  'post /api/notebooks/{slug}/pages',
  'get /api/notebooks/{slug}/pages/{pageId}',
  'patch /api/notebooks/{slug}/pages/{pageId}',
  'delete /api/notebooks/{slug}/pages/{pageId}',
  'get /api/notebooks/{slug}/pages/{pageId}/snapshots',
  'get /api/notebooks/{slug}/snapshots/{snapshotId}',
  'post /api/notebooks/{slug}/snapshots/{snapshotId}/restore',
  'get /api/notebooks/{slug}/comments',
  'post /api/notebooks/{slug}/comments',
  'delete /api/notebooks/{slug}/comments/{commentId}',
  'post /api/notebooks/{slug}/images',
  'get /api/notebooks/{slug}/images',
  'delete /api/notebooks/{slug}/images/{imageId}',
  'get /api/ping',
];

describe('GET /api/openapi.json', () => {
  it('is OpenAPI 3.1 and names every operation with its answers', async () => {
    const document = (await app.ask('GET', '/api/openapi.json')).json();
    expect(document.openapi).toBe('3.1.0');
    for (const operation of operations) {
      const [method, path] = operation.split(' ') as [string, string];
      const found = document.paths[path]?.[method];
      expect([operation, found?.summary !== undefined, Object.keys(found?.responses ?? {}).length > 0]).toEqual([
        operation,
        true,
        true,
      ]);
    }
  });

  it('shows the very schema that refuses: unknown fields and lengths', async () => {
    const document = (await app.ask('GET', '/api/openapi.json')).json();
    const { schema } = document.paths['/api/notebooks'].post.requestBody.content['application/json'];
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(schema.properties.title.maxLength).toBe(200);
    expect(schema.properties.paper.enum).toEqual(['plain', 'lined', 'grid', 'dotted', 'kraft']);
    expect(schema.properties.expiresIn.enum).toEqual(['1h', '1d', '7d', '30d', '90d', '1y']);
  });

  it('gives each answer its media type: problem documents, and Markdown or lines for those who ask', async () => {
    const document = (await app.ask('GET', '/api/openapi.json')).json();
    const calls = Object.entries<Record<string, { responses: Record<string, { content?: object }> }>>(document.paths).flatMap(
      ([path, methods]) => Object.entries(methods).map(([method, { responses }]) => ({ call: `${method} ${path}`, responses })),
    );
    const typesOf = ({ content = {} }: { content?: object }) => Object.keys(content).join();
    const lines = ['post /api/quick'];
    for (const { call, responses } of calls) {
      const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      const expected = lines.includes(call) ? 'application/problem+json,text/plain' : 'application/problem+json';
      expect([call, ...new Set(refusals.map(([, response]) => typesOf(response)))]).toEqual([call, expected]);
    }
    const of = (path: string, method: string, status: number) => typesOf(document.paths[path][method].responses[status]);
    expect(of('/api/notebooks/{slug}', 'get', 200)).toBe('application/json,text/markdown');
    expect(of('/api/notebooks/{slug}/pages/{pageId}', 'get', 200)).toBe('application/json,text/markdown');
    expect(of('/api/quick', 'post', 201)).toBe('application/json,text/plain');
    expect(of('/api/quick', 'post', 200)).toBe('application/json,text/plain');
    expect(of('/api/notebooks', 'post', 201)).toBe('application/json');
  });

  it('names no page of the site, only the API', async () => {
    const document = (await app.ask('GET', '/api/openapi.json')).json();
    expect(Object.keys(document.paths).filter(path => !path.startsWith('/api/'))).toEqual([]);
  });
});

describe('answers are what their schemas say', () => {
  it('from creation to deletion', async () => {
    const check = (schema: TSchema, value: unknown) => expect([...Compile(schema).Errors(value)]).toEqual([]);
    const created = (await app.ask('POST', '/api/notebooks', { body: { pages: [{ markdown: 'a' }] } })).json();
    check(schemas.CreatedAnswer, created);
    const token = created.editToken;
    const base = `/api/notebooks/${created.notebook.slug}`;
    const page = `${base}/pages/${created.notebook.pages[0].id}`;
    const get = async (url: string, withToken = true) => (await app.ask('GET', url, withToken ? { token } : {})).json();
    check(schemas.NotebookAnswer, await get(base));
    check(schemas.NotebookAnswer, await get(base, false));
    check(schemas.PageAnswer, await get(page));
    check(schemas.PageAnswer, (await app.ask('PATCH', page, { body: { markdown: 'b' }, token })).json());
    const snapshots = await get(`${page}/snapshots`);
    check(schemas.SnapshotsAnswer, snapshots);
    check(schemas.SnapshotAnswer, await get(`${base}/snapshots/${snapshots.items[0].id}`));
    const stale = await app.ask('PATCH', page, { body: { markdown: 'c' }, token, headers: { 'if-match': '"1"' } });
    check(schemas.ProblemAnswer, stale.json());
    check(schemas.CommentAnswer, (await app.ask('POST', `${base}/comments`, { body: { body: 'x' } })).json());
    check(schemas.CommentsAnswer, await get(`${base}/comments`));
    check(schemas.SlugAnswer, await get('/api/slugs/api'));
    check(schemas.ProblemAnswer, (await app.ask('POST', '/api/notebooks', { body: { nope: 1 } })).json());
    check(schemas.TokenAnswer, (await app.ask('POST', `${base}/token`, { token })).json());
  });
});
