import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { createThrough, type Made, startService } from './service-process.ts';

interface Kept {
  readonly markdown: string;
  readonly revision: number;
}

/** Saves as fast as answers come, until the service is gone. @returns the last text that was acknowledged */
async function streamSaves(
  origin: string,
  { slug, editToken, pageId }: Made,
  { round, onSaved }: { round: number; onSaved: () => void },
): Promise<Kept | undefined> {
  let acknowledged: Kept | undefined;
  for (let save = 0; ; save++) {
    const markdown = `round ${round}, save ${save}\n${'x'.repeat(2_000)}`;
    try {
      const answer = await fetch(`${origin}/api/notebooks/${slug}/pages/${pageId}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'x-edit-token': editToken },
        body: JSON.stringify({ markdown, autosave: save % 2 === 0 }),
      });
      if (answer.status !== 200) throw new Error(`save answered ${answer.status}`);
      const page = (await answer.json()) as { revision: number };
      acknowledged = { markdown, revision: page.revision };
      onSaved();
    } catch (error) {
      if (error instanceof TypeError) return acknowledged;
      throw error;
    }
  }
}

/** Each kill may come between the answer to any of these and its save. */
const writers = 8;

/** The built program saves and is killed again and again: expects after each kill that what it acknowledged is there. */
export async function keepThroughKills(databaseUrl: string, kills: number): Promise<void> {
  const start = () => startService({ DATABASE_URL: databaseUrl });
  let service = await start();
  try {
    const notebooks: { made: Made; kept: Kept }[] = [];
    while (notebooks.length < writers)
      notebooks.push({ made: await createThrough(service.origin), kept: { markdown: '', revision: 1 } });
    for (let round = 0; round < kills; round++) {
      const { promise: saved, resolve: onSaved } = Promise.withResolvers<void>();
      const saves = notebooks.map(({ made }) => streamSaves(service.origin, made, { round, onSaved }));
      await Promise.race([saved, ...saves]);
      // Any moment between two saves and within one.
      await sleep(Math.random() * 60);
      await service.kill('SIGKILL');
      const acknowledged = await Promise.all(saves);
      service = await start();
      for (const [at, notebook] of notebooks.entries()) {
        const kept = acknowledged[at] ?? notebook.kept;
        const { slug, pageId } = notebook.made;
        const page = (await (await fetch(`${service.origin}/api/notebooks/${slug}/pages/${pageId}`)).json()) as Kept;
        // A save may have been done without its answer arriving; nothing that was answered may be missing.
        expect(page.revision).toBeGreaterThanOrEqual(kept.revision);
        if (page.revision === kept.revision) expect(page.markdown).toBe(kept.markdown);
        else expect(page.revision).toBe(kept.revision + 1);
        notebook.kept = page;
      }
    }
    expect(notebooks.reduce((sum, { kept }) => sum + kept.revision, 0)).toBeGreaterThan(kills);
  } finally {
    await service.kill('SIGKILL');
  }
}
