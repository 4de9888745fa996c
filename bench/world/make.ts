import { type Running, startProgram } from '../view/servers.ts';
import { copyTemplates } from './copies.ts';
import { searchRows } from './search-rows.ts';
import { mostTemplates, templateShapes } from './shape.ts';
import { openTarget, requireNew } from './target.ts';
import { writeTemplates } from './templates.ts';

export interface World {
  readonly databaseUrl: string;
  readonly notebooks: number;
  readonly pages: number;
  readonly searched: number;
  readonly bytes: number;
  readonly seconds: number;
}

/**
 * Writes a world into a new database: up to 200 notebooks through the program, all others as copies of their rows.
 * @throws when the database is not new
 */
export async function makeWorld(databaseUrl: string, notebooks: number): Promise<World> {
  await requireNew(databaseUrl);
  const started = performance.now();
  const shapes = templateShapes(Math.min(notebooks, mostTemplates));
  let program: Running | undefined;
  let target: Awaited<ReturnType<typeof openTarget>> | undefined;
  try {
    program = await startProgram({ DATABASE_URL: databaseUrl });
    target = await openTarget(databaseUrl);
    await writeTemplates(program, target, shapes);
    await program.stop();
    const index = await searchRows(target, databaseUrl);
    await copyTemplates(target, notebooks - shapes.length, Date.now(), index.add);
    await index.finish();
    const [counts] = await target.rows(
      `SELECT (SELECT count(*) FROM notebooks) AS notebooks, (SELECT count(*) FROM pages) AS pages,
        (SELECT count(*) FROM pages JOIN notebooks ON notebooks.id = notebook_id WHERE visibility = 'public') AS searched`,
    );
    const bytes = await target.bytes();
    await target.close();
    const count = (name: string) => Number(counts![name]);
    const seconds = (performance.now() - started) / 1_000;
    return { databaseUrl, notebooks: count('notebooks'), pages: count('pages'), searched: count('searched'), bytes, seconds };
  } catch (error) {
    await program?.stop();
    await target?.close().catch(() => {});
    throw error;
  }
}

export function tellWorld({ notebooks, pages, searched, bytes, seconds }: World): string {
  return `${notebooks} notebooks, ${pages} pages, ${searched} of them searched, ${(bytes / 1e9).toFixed(2)} GB in ${seconds.toFixed(0)} s`;
}
