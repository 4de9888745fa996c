import { randomBytes } from 'node:crypto';
import type { Refusal } from '../../src/errors.ts';
import { createEditToken, hashEditToken } from '../../src/model/edit-token.ts';
import type { Notebook, Page } from '../../src/model/notebook.ts';
import { countMarkdownBytes } from '../../src/model/notebook-room.ts';
import { TextTracker } from '../../src/model/text-tracker.ts';
import type { Parts } from '../../src/operations/parts.ts';
import { createPasswords } from '../../src/operations/passwords.ts';
import { createStore } from '../../src/store/open-store.ts';
import { aNotebook, aPage, noon } from '../store/contract/subject.ts';

export interface OpenParts {
  readonly parts: Parts;
  /** Moves the parts' clock. */
  readonly clock: { now: number };
  /** Stores a notebook with a page for each text; returns it with the token that owns it. */
  keep(over?: Partial<Notebook>, texts?: readonly string[]): Promise<{ notebook: Notebook; pages: Page[]; editToken: string }>;
  /** Uses up a limit, for ten minutes from now. */
  fill(name: string, key: string, max: number): Promise<void>;
  close(): Promise<void>;
}

/** What a caller is told: the code of a refusal, with the fields that it names, or else its detail. */
export const told = (asked: Promise<unknown>): Promise<string | undefined> =>
  asked.then(
    () => 'ok',
    ({ code, extras }: Partial<Refusal>) => {
      const said = extras?.errors?.map(({ path, message }) => `${path} ${message}`).join() ?? extras?.detail;
      return said === undefined ? code : `${code}: ${said}`;
    },
  );

/**
 * The parts that operations work with, on a store in memory: no server, no thread. Nothing is rendered in advance, and no image can be
 * added.
 */
export async function openParts(over: Partial<Parts> = {}): Promise<OpenParts> {
  const store = createStore('sqlite::memory:', { maxNotebookBytes: over.maxNotebookBytes });
  await store.migrate();
  const clock = { now: noon };
  const none = async (): Promise<never> => {
    throw new Error('There is no such thread here.');
  };
  const parts: Parts = {
    store,
    objects: undefined,
    imageChecker: { check: none, close: async () => {} } as never,
    cardPainter: { paint: none, close: async () => {} } as never,
    renderer: { render: none, close: async () => {} } as never,
    // bcrypt's lowest cost.
    passwords: createPasswords(4),
    texts: new TextTracker(),
    maxNotebookBytes: 1_000_000,
    secretKey: 'a key that signs',
    now: () => clock.now,
    randomBytes,
    rateLimits: 'on',
    ...over,
  };
  return {
    parts,
    clock,
    async keep(fields = {}, texts = ['# One\n']) {
      const editToken = createEditToken(randomBytes);
      const markdownBytes = countMarkdownBytes(texts.map(markdown => ({ markdown })));
      const notebook = aNotebook({ ...fields, editTokenHash: hashEditToken(editToken), markdownBytes });
      const pages = texts.map((markdown, position) => aPage(notebook.id, position, { markdown }));
      const kept = await store.createNotebook(notebook, pages);
      if (kept !== 'created') throw new Error(kept);
      return { notebook, pages, editToken };
    },
    async fill(name, key, max) {
      for (let use = 0; use < max; use++) await store.takeRateSlot({ name, key, max, windowSeconds: 600 }, clock.now);
    },
    async close() {
      await parts.passwords.close();
      await store.close();
    },
  };
}
