import { nextTurn, workFor } from '../event-loop-turns.ts';
import type { Pressure } from '../http/load/pressure.ts';

/** Further pages are left to their first readers. */
const maxWaiting = 512;

/**
 * Prerenders pages one after the other, each once however often it is requested, and none under load. Each has a turn of the event loop:
 * what it needs may all be in memory or in SQLite, and nothing else would end the turn.
 */
export function createPrerenderQueue(
  pressure: Pick<Pressure, 'level'>,
  finish: (slug: string, pageId: string) => Promise<void>,
): (slug: string, pageId: string) => void {
  const waiting = new Map<string, string>();
  let running = false;

  async function run(): Promise<void> {
    running = true;
    for (const [pageId, slug] of waiting) {
      await nextTurn();
      waiting.delete(pageId);
      // A failure only means that the first view does the work.
      if (pressure.level === 'none') await finish(slug, pageId).catch(() => {});
    }
    running = false;
  }

  return (slug, pageId) => {
    if (waiting.size >= maxWaiting) return;
    waiting.set(pageId, slug);
    // In nobody's name: it goes on with pages of others.
    if (!running) void workFor(undefined, run);
  };
}
