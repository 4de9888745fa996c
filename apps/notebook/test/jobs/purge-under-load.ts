import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { purgeExpired } from '../../src/operations/purge-expired.ts';
import { aChange, aNotebook, aPage, day, make, newId } from '../store/contract/subject.ts';
import type { NotebookApp } from '../support/notebook-app.ts';

export interface UnderLoad {
  readonly purged: number;
  readonly purgeMs: number;
  /** Views answered while the purge ran, all of them 200. */
  readonly answered: number;
  /** The longest time between two answered views. */
  readonly longestGapMs: number;
  /** In how many portions the notebooks went. */
  readonly portions: number;
  /** The most portions that ended between two answered views. */
  readonly portionsAtOnce: number;
}

const text = `# A page\n\n${'Some words of an ordinary note. '.repeat(60)}\n`;

/** Notebooks of three pages, with a snapshot and a rendering each; expired for more than three days. */
async function fill({ parts, clock }: NotebookApp, count: number): Promise<void> {
  const { store } = parts;
  const portion = 50;
  for (let done = 0; done < count; done += portion) {
    const some = Math.min(portion, count - done);
    await Promise.all(Array.from({ length: some }, () => store.createNotebook(...aDueNotebook(clock.now))));
  }
  const { owner, pages } = await make(store, { expiresAt: clock.now - 4 * day }, [text, text, text]);
  await store.changePage(owner, pages[0]!.id, aChange({ markdown: 'changed' }), clock.now);
}

function aDueNotebook(now: number) {
  const notebook = aNotebook({ expiresAt: now - 4 * day, visibility: 'public', editTokenHash: newId() + newId() });
  return [notebook, [0, 1, 2].map(position => aPage(notebook.id, position, { markdown: text }))] as const;
}

/** Purges `count` notebooks while readers of another one ask without a pause, over real sockets. */
export async function purgeUnderLoad(app: NotebookApp, count: number): Promise<UnderLoad> {
  await fill(app, count - 1);
  const { slug } = await app.create({ pages: [{ markdown: text }] });
  await app.listen();
  const { port } = app.server.server.address() as AddressInfo;
  const view = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/n/${slug}`);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a view answered ${answer.status}`);
  };
  await view();

  let running = true;
  const answeredAt = [performance.now()];
  /** How many views had been answered at the end of each portion. */
  const portions: number[] = [];
  const purgeNotebooks: typeof app.parts.store.purgeNotebooks = async (...given) => {
    const gone = await app.parts.store.purgeNotebooks(...given);
    portions.push(answeredAt.length);
    return gone;
  };
  const readers = Array.from({ length: 4 }, async () => {
    while (running) {
      await view();
      answeredAt.push(performance.now());
      await sleep(1);
    }
  });
  const started = performance.now();
  const { expired } = await purgeExpired({ ...app.parts, store: { ...app.parts.store, purgeNotebooks } }, { timezone: 'UTC' });
  const purgeMs = performance.now() - started;
  running = false;
  await Promise.all(readers);
  const gaps = answeredAt.slice(1).map((time, at) => time - answeredAt[at]!);
  return {
    purged: expired,
    purgeMs,
    answered: gaps.length,
    portions: portions.length,
    portionsAtOnce: Math.max(...[...Map.groupBy(portions, views => views).values()].map(({ length }) => length)),
    longestGapMs: gaps.reduce((longest, gap) => Math.max(longest, gap), 0),
  };
}
