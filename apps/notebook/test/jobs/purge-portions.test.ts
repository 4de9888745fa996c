import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideAccess } from '../../src/model/access.ts';
import { createEditToken, hashEditToken } from '../../src/model/edit-token.ts';
import { possibleKeys } from '../../src/model/image.ts';
import type { Notebook } from '../../src/model/notebook.ts';
import { Owner, Visitor } from '../../src/model/rights.ts';
import { purgeExpired } from '../../src/operations/purge-expired.ts';
import { addMany } from '../store/contract/images.ts';
import { aChange, aNotebook, aPage, day, newId, noon } from '../store/contract/subject.ts';
import { type OpenSubject, openSubject } from '../store/open-subject.ts';
import { startChild } from '../store/processes/child.ts';
import { engines } from '../support/engines.ts';

const grace = 3 * day;
/** What one transaction may write over, and one page above it. */
const mostBytes = 4_194_304;
const kinds = {
  expired: { expiresAt: noon - grace - 1 },
  burned: { burnAfterRead: true, openedAt: noon - 5 * day, readerHash: newId() },
} satisfies Record<string, Partial<Notebook>>;
type Kind = keyof typeof kinds;

describe.each(engines)('a large notebook that is due, on $name', engine => {
  let subject: OpenSubject;
  beforeAll(async () => {
    subject = await openSubject(engine);
  });
  afterAll(() => subject.close());

  /** Eight pages with everything that is kept beside a text: 20 MB. */
  async function makeLarge(kind: Kind, count = 8) {
    const { store } = subject;
    const editToken = createEditToken(randomBytes);
    const over = { ...kinds[kind], openEditing: true, markdownBytes: count * 900_000 };
    const notebook = aNotebook({ ...over, editTokenHash: hashEditToken(editToken) });
    const text = () => randomBytes(450_000).toString('hex');
    const pages = Array.from({ length: count }, (_, position) => aPage(notebook.id, position, { markdown: text() }));
    expect(await store.createNotebook(notebook, pages)).toBe('created');
    const owner = Owner.check(notebook, editToken)!;
    for (const { id } of pages) {
      await store.changePage(owner, id, aChange({ markdown: text() }), noon);
      const packed = randomBytes(700_000);
      await store.keepRendering(id, { revision: 2, variant: 'view', engine: '1' }, { json: '{}', packed });
    }
    const images = await addMany(store, owner, 3);
    const underWay = newId();
    await store.takeUploadSlot(owner, underWay, undefined, noon);
    const keys = [...images.map(({ key }) => key), ...possibleKeys(notebook.id, underWay)].sort();
    return { notebook, pages, owner, visitor: Visitor.check(notebook)!, editToken, keys };
  }
  type Large = Awaited<ReturnType<typeof makeLarge>>;

  async function bytesOf({ notebook }: Large): Promise<number> {
    const [row] = await subject.sql(
      `SELECT coalesce(sum(length(markdown)
        + (SELECT coalesce(sum(bytes), 0) FROM snapshots WHERE page_id = pages.id)
        + (SELECT coalesce(sum(length(packed)), 0) FROM renderings WHERE page_id = pages.id)), 0) AS bytes
        FROM pages WHERE notebook_id = ?`,
      notebook.id,
    );
    return Number(row!.bytes);
  }
  const queued = async () =>
    (await subject.sql('SELECT object_key AS object FROM object_deletions')).map(({ object }) => String(object)).sort();

  /** For all who ask, and whatever the clock says by then. */
  async function expectClosed({ notebook: { slug }, pages, owner, visitor, editToken }: Large): Promise<void> {
    const { store } = subject;
    const kept = await store.findNotebookBySlug(slug);
    for (const now of [noon, noon - 30 * day])
      for (const proof of [{}, { editToken }, { isReader: true, unlocked: true }])
        expect(decideAccess(kept, proof, now).kind).toBe('missing');
    expect(await store.findNotebookByTokenHash(hashEditToken(editToken))).toBeUndefined();
    const change = aChange({ markdown: 'later' });
    expect(await store.changePage(owner, pages.at(-1)!.id, change, noon)).toEqual({ kind: 'gone' });
    expect((await store.changePage(visitor, pages.at(-1)!.id, change, noon)).kind).toBe('gone');
    expect(await store.isSlugTaken(slug, noon)).toBe(true);
  }

  it.each(Object.keys(kinds) as Kind[])('goes in portions, closed to everybody from the first of them: %s', async kind => {
    const { store } = subject;
    const large = await makeLarge(kind);
    const due = { expiredBefore: noon - grace, openedBefore: noon - day, reportedBefore: 0 };
    let left = await bytesOf(large);
    const queuedBefore = await queued();
    for (let portions = 0; ; portions++) {
      const gone = await store.purgeNotebooks(due, noon + 90 * day, 20);
      const less = await bytesOf(large);
      expect(left - less).toBeLessThanOrEqual(mostBytes);
      left = less;
      if (!gone.portions) {
        expect({ ...gone, reached: undefined }).toEqual({ expired: 0, burned: 0, [kind]: 1 });
        expect(portions).toBeGreaterThan(4);
        break;
      }
      expect(await queued()).toEqual(queuedBefore);
      await expectClosed(large);
    }
    expect(await store.findNotebookBySlug(large.notebook.slug)).toBeUndefined();
    expect((await queued()).filter(key => !queuedBefore.includes(key))).toEqual(large.keys);
    expect(await store.isSlugTaken(large.notebook.slug, noon + 90 * day - 1)).toBe(true);
    expect(await store.purgeNotebooks(due, noon + 90 * day, 20)).toEqual({ expired: 0, burned: 0 });
  });

  it.each(Object.keys(kinds) as Kind[])('is gone after the next purge when a process dies in the middle: %s', async kind => {
    const large = await makeLarge(kind);
    const queuedBefore = await queued();
    const purger = await startChild('purger.ts', [subject.url, String(noon)]);
    await purger.line(/portions/);
    await purger.kill('SIGKILL');
    await expectClosed(large);
    expect(await queued()).toEqual(queuedBefore);
    const parts = { store: subject.store, now: () => noon };
    const counts = await purgeExpired(parts, { timezone: 'UTC', dryRun: true });
    expect(counts).toMatchObject({ expired: 0, burned: 0, [kind]: 1 });
    expect(await purgeExpired(parts, { timezone: 'UTC' })).toMatchObject({ expired: 0, burned: 0, [kind]: 1 });
    expect((await queued()).filter(key => !queuedBefore.includes(key))).toEqual(large.keys);
    expect(await bytesOf(large)).toBe(0);
  });

  it('goes once where two processes purge at the same time', async () => {
    // Three portions.
    const large = await makeLarge('expired', 4);
    const queuedBefore = await queued();
    const other = await subject.another();
    const purge = (store: typeof other) => purgeExpired({ store, now: () => noon }, { timezone: 'UTC' });
    const both = await Promise.all([purge(subject.store), purge(other)]);
    expect(both[0].expired + both[1].expired).toBe(1);
    expect((await queued()).filter(key => !queuedBefore.includes(key))).toEqual(large.keys);
    await other.close();
  });
});
