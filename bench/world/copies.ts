import { randomBytes } from 'node:crypto';
import { expiryOf, type Random, randomFrom, wordOf } from './shape.ts';
import type { Row, Target } from './target.ts';

const dayMs = 86_400_000;
/** Notebooks per commit. */
const portion = 1_000;

/** A page of a copy, as the text index needs it. */
export interface PublicCopy {
  readonly pageId: string;
  readonly title: string;
  readonly givenTitle: string;
  readonly text: string;
  readonly updatedAt: number;
}

type Given = Record<string, string | number | null>;
type Copier = (given: readonly Given[]) => Promise<void>;

interface TemplatePage {
  readonly id: string;
  readonly givenTitle: string;
  readonly text: string;
  readonly snapshots: readonly string[];
}

interface Template {
  readonly id: string;
  readonly isPublic: boolean;
  readonly pages: readonly TemplatePage[];
  readonly comments: readonly { readonly id: string; readonly page: string | null }[];
}

/** Columns in `given` are replaced; all others are as in the template's row. */
async function copier(
  target: Target,
  table: string,
  key: string,
  given: Readonly<Record<string, 'text' | 'bigint'>>,
): Promise<Copier> {
  const columns = (await target.columns(table)).filter(column => column !== 'number' || 'number' in given);
  const values = columns.map(column =>
    given[column] === undefined ? `template.${column}` : `CAST(given.value->>'${column}' AS ${given[column]})`,
  );
  const rows = target.engine === 'sqlite' ? 'json_each(?) AS given' : 'json_array_elements(CAST($1 AS json)) AS given(value)';
  const type = 'page' in given && given.page === 'bigint' ? 'bigint' : 'text';
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
    FROM ${rows} CROSS JOIN ${table} AS template WHERE template.${key} = CAST(given.value->>'template' AS ${type})`;
  return async all => {
    if (all.length > 0) await target.rows(sql, JSON.stringify(all));
  };
}

async function readTemplates(target: Target): Promise<Template[]> {
  const notebooks = await target.rows('SELECT id, visibility FROM notebooks ORDER BY created_at, id');
  const pages = await target.rows(
    'SELECT id, PAGE_KEY AS key, notebook_id, given_title, markdown FROM pages ORDER BY notebook_id, position',
  );
  const snapshots = Map.groupBy(await target.rows('SELECT id, page_id FROM snapshots'), row => row.page_id);
  const comments = Map.groupBy(await target.rows('SELECT id, notebook_id, page_id FROM comments'), row => row.notebook_id);
  const pagesOf = Map.groupBy(pages, row => row.notebook_id);
  const toPage = (row: Row): TemplatePage => ({
    id: String(row.id),
    givenTitle: String(row.given_title),
    text: String(row.markdown),
    snapshots: (snapshots.get(row.id) ?? []).map(({ id }) => String(id)),
  });
  return notebooks.map(({ id, visibility }) => ({
    id: String(id),
    isPublic: visibility === 'public',
    pages: (pagesOf.get(id) ?? []).map(toPage),
    comments: (comments.get(id) ?? []).map(row => ({ id: String(row.id), page: row.page_id as string | null })),
  }));
}

interface Batch {
  readonly notebooks: Given[];
  readonly pages: Given[];
  readonly renderings: Given[];
  readonly finished: Given[];
  readonly snapshots: Given[];
  readonly comments: Given[];
}

const newId = () => randomBytes(16).toString('hex');

/**
 * Copies the templates under other slugs, with times spread over a year. Nobody has their edit links; a finished page shows the
 * template's address and title.
 * @param index called for every page that can be searched
 */
export async function copyTemplates(
  target: Target,
  copies: number,
  now: number,
  index: (pages: readonly PublicCopy[]) => Promise<void>,
): Promise<void> {
  const templates = await readTemplates(target);
  const random = randomFrom(23);
  const isSqlite = target.engine === 'sqlite';
  // SQLite stores finished pages under a page's number.
  const numbers = new Map((await target.rows('SELECT id, PAGE_KEY AS key FROM pages')).map(({ id, key }) => [id, key as number]));
  let lastNumber = isSqlite ? Math.max(...numbers.values()) : 0;
  const times = { created_at: 'bigint', updated_at: 'bigint' } as const;
  const copy = {
    notebooks: await copier(target, 'notebooks', 'id', {
      ...{ id: 'text', slug: 'text', title: 'text', edit_token_hash: 'text', expires_at: 'bigint' },
      ...times,
    }),
    pages: await copier(target, 'pages', 'id', {
      ...{ id: 'text', notebook_id: 'text', updated_at: 'bigint' },
      ...(isSqlite ? { number: 'bigint' } : {}),
    }),
    renderings: await copier(target, 'renderings', 'page_id', { page_id: 'text' }),
    finished: await copier(target, 'finished_pages', 'page', { page: isSqlite ? 'bigint' : 'text' }),
    snapshots: await copier(target, 'snapshots', 'id', { id: 'text', page_id: 'text', created_at: 'bigint' }),
    comments: await copier(target, 'comments', 'id', { id: 'text', notebook_id: 'text', page_id: 'text' }),
  };
  let searched: PublicCopy[] = [];

  function add(batch: Batch, template: Template, number: number): void {
    const id = newId();
    const updatedAt = Math.round(now - 365 * dayMs * random());
    const title = `${wordOf(random)} ${wordOf(random)} ${number}`;
    batch.notebooks.push({
      ...{ template: template.id, id, slug: newId().slice(0, 16), title, edit_token_hash: newId() + newId() },
      created_at: Math.round(updatedAt - 30 * dayMs * random()),
      updated_at: updatedAt,
      expires_at: expiresAt(random, now),
    });
    const pageIds = new Map<string, string>();
    for (const page of template.pages) {
      const pageId = newId();
      pageIds.set(page.id, pageId);
      lastNumber += 1;
      batch.pages.push({ template: page.id, id: pageId, notebook_id: id, number: lastNumber, updated_at: updatedAt });
      batch.renderings.push({ template: page.id, page_id: pageId });
      batch.finished.push({ template: numbers.get(page.id)!, page: isSqlite ? lastNumber : pageId });
      for (const snapshot of page.snapshots)
        batch.snapshots.push({ template: snapshot, id: newId(), page_id: pageId, created_at: updatedAt });
      if (template.isPublic) searched.push({ pageId, title, givenTitle: page.givenTitle, text: page.text, updatedAt });
    }
    for (const { id: comment, page } of template.comments)
      batch.comments.push({
        template: comment,
        id: newId(),
        notebook_id: id,
        page_id: page === null ? null : (pageIds.get(page) ?? null),
      });
  }

  for (let from = 0; from < copies; from += portion) {
    const batch: Batch = { notebooks: [], pages: [], renderings: [], finished: [], snapshots: [], comments: [] };
    searched = [];
    for (let number = from; number < Math.min(copies, from + portion); number++)
      add(batch, templates[Math.floor(random() * templates.length)]!, number);
    await target.inBulk(async () => {
      await copy.notebooks(batch.notebooks);
      await copy.pages(batch.pages);
      await copy.renderings(batch.renderings);
      await copy.finished(batch.finished);
      await copy.snapshots(batch.snapshots);
      await copy.comments(batch.comments);
    });
    await index(searched);
  }
}

function expiresAt(random: Random, now: number): number | null {
  const kind = expiryOf(random);
  if (kind === 'never') return null;
  // Long past, so the three days in which an owner may postpone it are over.
  return Math.round(kind === 'later' ? now + dayMs * (1 + 300 * random()) : now - dayMs * (4 + 20 * random()));
}
