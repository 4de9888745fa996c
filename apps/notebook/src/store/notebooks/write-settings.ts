import { sql } from 'kysely';
import type { Notebook } from '../../model/notebook.ts';
import { isPageOrder } from '../../model/page-order.ts';
import type { Owner } from '../../model/rights.ts';
import { notebookTitle } from '../../model/title.ts';
import { all } from '../engine.ts';
import { queueNotebook } from '../search/queue-pages.ts';
import type { Steps } from '../statement.ts';
import { query } from '../statement.ts';
import type { Statements } from '../statements.ts';
import type { SettingsChange, SettingsResult } from '../store.ts';
import { settingsRow } from './notebook-statements.ts';
import { lockForOwner } from './write-rights.ts';

/** @param maxBytes reads the pages, too, unless they have more bytes: an answer shows them as they were when the settings changed */
export function* changeAndRead(
  statements: Statements,
  by: Owner,
  change: SettingsChange,
  now: number,
  maxBytes: number | undefined,
): Steps<SettingsResult> {
  const result = yield* changeSettings(statements, by, change, now);
  if (result.kind !== 'changed' || maxBytes === undefined || result.notebook.markdownBytes > maxBytes) return result;
  return { ...result, pages: yield* all(statements.pages.list, { notebook: result.notebook.id }) };
}

function* changeSettings(statements: Statements, by: Owner, change: SettingsChange, now: number): Steps<SettingsResult> {
  const notebook = yield* lockForOwner(statements.notebooks, by);
  if (!notebook || notebook.takenDownAt !== null) return { kind: 'gone' };
  const { pageOrder, ...settings } = change;
  const moves = pageOrder ? yield* planMoves(statements, notebook.id, pageOrder) : [];
  // The order of the pages is content: read-only forbids changing it, unless the same change ends read-only.
  if (pageOrder && notebook.readOnly && settings.readOnly !== false) return { kind: 'read_only' };
  if (!moves) return { kind: 'page_order_mismatch' };

  // Switching burn after read off also forgets the opening: switched on again, the notebook opens once more.
  const rearmed = settings.burnAfterRead === false ? { openedAt: null, readerHash: null } : {};
  const title = settings.title === '' ? yield* titleByHeading(statements, notebook.id, pageOrder) : settings.title;
  const wanted = { ...notebook, ...withoutUndefined({ ...settings, title }), ...rearmed };
  if (moves.length === 0 && isSameRecord(notebook, wanted)) return { kind: 'changed', notebook };
  const changed = { ...wanted, updatedAt: now, version: notebook.version + 1 };
  yield updateNotebook(statements, changed);
  if (moves.length > 0) yield movePages(statements, notebook.id, moves);
  if (changed.visibility !== notebook.visibility || changed.title !== notebook.title) yield* queueNotebook(statements, changed);
  return { kind: 'changed', notebook: changed };
}

/** The first heading of the page that is first once the change is made. */
function* titleByHeading(statements: Statements, notebook: string, order: readonly string[] = []): Steps<string> {
  const heads = yield* all(statements.pages.heads, { notebook });
  return notebookTitle('', heads.find(({ id }) => id === order[0]) ?? heads[0]);
}

interface Move {
  readonly id: string;
  readonly position: number;
}

/** The pages that get another position; undefined when the order does not name every page exactly once. */
function* planMoves(statements: Statements, notebook: string, order: readonly string[]): Steps<readonly Move[] | undefined> {
  const heads = yield* all(statements.pages.heads, { notebook });
  if (
    !isPageOrder(
      order,
      heads.map(head => head.id),
    )
  )
    return undefined;
  return order.map((id, position) => ({ id, position })).filter(({ id, position }) => heads[position]?.id !== id);
}

function movePages(statements: Statements, notebook: string, moves: readonly Move[]) {
  const cases = moves.map(({ id, position }) => sql`WHEN ${id} THEN CAST(${position} AS integer)`);
  return query(
    statements.builder
      .updateTable('pages')
      .set({ position: sql`CASE id ${sql.join(cases, sql` `)} ELSE position END` })
      .where('notebook_id', '=', notebook),
  );
}

function updateNotebook({ builder }: Statements, notebook: Notebook) {
  return query(builder.updateTable('notebooks').set(settingsRow(notebook)).where('id', '=', notebook.id));
}

function withoutUndefined<Change extends object>(change: Change) {
  type Given = { [Key in keyof Change]?: Exclude<Change[Key], undefined> };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Given;
}

function isSameRecord(one: Notebook, other: Notebook): boolean {
  return (Object.keys(one) as (keyof Notebook)[]).every(key => one[key] === other[key]);
}
