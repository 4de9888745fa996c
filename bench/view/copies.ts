import { DatabaseSync } from 'node:sqlite';

const tables = ['notebooks', 'pages', 'renderings', 'finished_pages'] as const;

interface Template {
  readonly columns: readonly string[];
  readonly row: Record<string, string | number | null | Uint8Array>;
}

function templateOf(database: DatabaseSync, table: string, where: string): Template {
  const row = database.prepare(`SELECT * FROM ${table} WHERE ${where}`).get() as Template['row'] | undefined;
  if (!row) throw new Error(`The notebook has no row in ${table}.`);
  return { columns: Object.keys(row), row };
}

/**
 * Copies a one-page notebook, its stored renderings and its finished page this many times, under other slugs.
 * @param path of a database that nothing has open
 * @returns the slugs
 */
export function copyNotebook(path: string, slug: string, copies: number): string[] {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = OFF');
  const { id } = database.prepare('SELECT id FROM notebooks WHERE slug = ?').get(slug) as { id: string };
  const page = database.prepare('SELECT id, number FROM pages WHERE notebook_id = ?').get(id) as { id: string; number: number };
  const where = [`id = '${id}'`, `id = '${page.id}'`, `page_id = '${page.id}'`, `page = ${page.number}`];
  const templates = tables.map((table, at) => ({ table, ...templateOf(database, table, where[at]!) }));
  const inserts = templates.map(({ table, columns }) =>
    database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`),
  );
  const slugs: string[] = [];
  database.exec('BEGIN');
  for (let copy = 1; copy <= copies; copy++) {
    // Not in the order of the slugs: a world is not read in the order in which it was written.
    const mixed = ((copy * 2_654_435_761) % 4_294_967_296).toString(36).padStart(7, '0');
    const number = page.number + copy;
    const own: Template['row'] = {
      edit_token_hash: mixed.padStart(64, '0'),
      slug: `copy-${mixed}`,
      notebook_id: `${id.slice(8)}${mixed}x`,
      page_id: `${page.id}${mixed}`,
      number,
      page: number,
    };
    const ids: Template['row'] = { notebooks: own.notebook_id!, pages: own.page_id! };
    templates.forEach(({ table, columns, row }, at) => {
      inserts[at]!.run(...columns.map(column => (column === 'id' ? ids[table]! : (own[column] ?? row[column]!))));
    });
    slugs.push(`copy-${mixed}`);
  }
  database.exec('COMMIT');
  database.close();
  return slugs;
}
