import { afterEach, expect, it } from 'vitest';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { sqlite } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const key = 'k'.repeat(22);
let app: NotebookApp;
afterEach(() => app?.close());

/** The same request comes twice, and the other is through when this one has asked the database so many times. */
it.each([1, 2])('the same request beside this one does not take its answer, after question %i', async questions => {
  let asked = 0;
  let other: Promise<string> | undefined;
  const store = createStore((await sqlite.createDatabase()).url);
  const overtaken: Partial<Store> = {
    async findNotebookBySlug(slug) {
      const notebook = await store.findNotebookBySlug(slug);
      await goOn();
      return notebook;
    },
    async rotateEditToken(...given) {
      await goOn();
      return store.rotateEditToken(...given);
    },
  };
  async function goOn(): Promise<void> {
    if (other !== undefined || ++asked < questions) return;
    other = replace();
    await other;
  }
  app = await startNotebookApp({ overrides: { store: { ...store, ...overtaken } } });
  const made = await app.create();
  asked = 0;
  other = undefined;
  const replace = async () => {
    const answer = await app.server.inject({
      method: 'POST',
      url: `/api/notebooks/${made.slug}/token`,
      headers: { 'x-edit-token': made.editToken, 'idempotency-key': key },
    });
    return `${answer.statusCode} ${answer.json<{ editToken?: string }>().editToken}`;
  };
  const own = await replace();
  expect(own).toMatch(/^200 [\w-]{43}$/);
  expect(own).toBe(await (other ?? replace()));
});
