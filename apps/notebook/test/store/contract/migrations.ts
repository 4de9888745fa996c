import { describe, expect, it } from 'vitest';
import { atOnce, make, type Subject } from './subject.ts';

export function migrationsContract(subject: () => Subject): void {
  describe('migrate', () => {
    it('may run again and by many at once', async () => {
      const { store, another } = await subject().empty();
      const stores = [store, ...(await atOnce(4, another))];
      await Promise.all(stores.map(each => each.migrate()));
      await store.migrate();
      const { notebook } = await make(store);
      expect(await stores[4]!.findNotebookBySlug(notebook.slug)).toStrictEqual(notebook);
      await Promise.all(stores.map(each => each.close()));
    });

    it('keeps the name and the SHA-256 of each file', async () => {
      const [first] = await subject().sql('SELECT number, name, sha256 FROM migrations ORDER BY number');
      expect(first).toMatchObject({ number: 1, name: '0001-notebooks.sql', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    });
  });
}
