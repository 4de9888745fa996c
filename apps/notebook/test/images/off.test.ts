import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { aPicture } from './pictures.ts';
import { upload } from './upload.ts';

const five = {
  R2_ENDPOINT: 'http://127.0.0.1:1',
  R2_ACCESS_KEY_ID: 'id',
  R2_SECRET_ACCESS_KEY: 'secret',
  R2_BUCKET: 'bucket',
  R2_PUBLIC_URL: 'https://images.example/notes',
};

let app: NotebookApp;
beforeAll(async () => {
  const { R2_PUBLIC_URL: _, ...four } = five;
  app = await startNotebookApp({ env: four });
});
afterAll(() => app.close());

it('with four of the five variables, images are off and all else is on', async () => {
  const made = await app.create();
  const path = `/api/notebooks/${made.slug}/images`;
  const answers = [
    await upload(app, made, await aPicture('png')),
    await app.ask('GET', path, { token: made.editToken }),
    await app.ask('DELETE', `${path}/0123`, { token: made.editToken }),
  ];
  for (const answer of answers) expect([answer.statusCode, answer.json().code]).toEqual([503, 'images_off']);
  // Who may not write learns nothing of the server.
  expect((await app.ask('POST', path, { body: Buffer.alloc(1) })).json().code).toBe('edit_token_missing');
  const page = await app.ask('PATCH', `/api/notebooks/${made.slug}/pages/${made.pages[0]!.id}`, {
    token: made.editToken,
    body: { markdown: 'words' },
  });
  expect(page.statusCode).toBe(200);
  expect((await app.ask('GET', '/')).headers['content-security-policy']).toContain("img-src 'self' data: https:;");
});

it('with all five, the pages may show exactly that origin, and an unreachable store is one sentence', async () => {
  for (const [publicUrl, source] of [
    ['https://images.example/notes', 'https://images.example'],
    ['http://127.0.0.1:9000/bucket', 'http://127.0.0.1:9000'],
  ] as const) {
    const on = await startNotebookApp({ env: { ...five, R2_PUBLIC_URL: publicUrl } });
    const made = await on.create();
    for (const path of ['/', `/n/${made.slug}`, `/n/${made.slug}/print`, `/edit/${made.slug}`, '/nowhere']) {
      const policy = String((await on.ask('GET', path)).headers['content-security-policy']);
      expect(policy.split('; ')).toContain(`img-src 'self' data: https: ${source}`);
    }
    expect((await on.ask('GET', `/edit/${made.slug}`)).body).toContain(`data-image-origin="${source}"`);
    if (publicUrl.startsWith('http:')) {
      const answer = await upload(on, made, await aPicture('png'));
      expect([answer.statusCode, answer.json().code]).toEqual([502, 'image_store_failed']);
    }
    await on.close();
  }
});
