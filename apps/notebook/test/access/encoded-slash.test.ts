import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
const made: CreatedNotebook[] = [];
beforeAll(async () => {
  app = await startNotebookApp();
  for (const over of [{}, { visibility: 'private' }, { password: 'a password' }, { burnAfterRead: true }])
    made.push(await app.create({ pages: [{ markdown: '# Secret' }], ...over }));
});
afterAll(() => app.close());

// RFC 3986 §2.2: an encoded slash is data, so this is one name, which no notebook can have.
it.each(['%2Fprint', '%2fprint', '%2Fp%2F1', '%2F', '%2F..', '%2Fembed', '%2Fprint.md'])(
  'a slug with %s at its end is unknown, no matter who asks and what the notebook is',
  async end => {
    for (const { slug, editToken } of made) {
      for (const proof of [{}, { token: editToken }]) {
        const [asked, unknown] = await Promise.all(
          [slug, 'nobody-has-this'].map(name => app.ask('GET', `/n/${name}${end}`, proof)),
        );
        expect([asked!.statusCode, asked!.headers.location, asked!.body]).toEqual([404, undefined, unknown!.body]);
      }
    }
  },
);
