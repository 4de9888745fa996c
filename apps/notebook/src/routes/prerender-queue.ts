import type { Pressure } from '../http/load/pressure.ts';

/** Further pages are left to their first readers. */
const maxWaiting = 512;

/** Prerenders pages one after the other, each once however often it is requested, and none under load. */
export function createPrerenderQueue(
  pressure: Pick<Pressure, 'level'>,
  finish: (slug: string, pageId: string) => Promise<void>,
): (slug: string, pageId: string) => void {
  const waiting = new Map<string, string>();
  let running = false;

  async function run(): Promise<void> {
    running = true;
    for (const [pageId, slug] of waiting) {
      waiting.delete(pageId);
      // A failure only means that the first view does the work.
      if (pressure.level === 'none') await finish(slug, pageId).catch(() => {});
    }
    running = false;
  }

  return (slug, pageId) => {
    if (waiting.size >= maxWaiting) return;
    waiting.set(pageId, slug);
    if (!running) void run();
  };
}
