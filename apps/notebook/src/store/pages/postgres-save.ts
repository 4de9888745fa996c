import { type Kysely, sql } from 'kysely';
import { limits } from '../../limits.ts';
import type { Owner } from '../../model/rights.ts';
import { autosaveSnapshotMillis, keptSnapshots } from '../../model/snapshot.ts';
import type { Engine } from '../engine.ts';
import { secondsToWait } from '../kept/kept-statements.ts';
import type { RateSlot } from '../kept/rate-slot.ts';
import { type Statement, statement, type Value } from '../statement.ts';
import type { ChangePageResult, PageChange } from '../store.ts';
import type { Tables } from '../tables.ts';
import type { WriteRefused } from '../write-refused.ts';
import { batchSaves, type PlacedAnswer, type Run } from './batch-saves.ts';

/** The arguments that the function of migration 0016 takes for each save, in order, with their types. */
const columns = [
  ['notebook', 'text'],
  ['page', 'text'],
  ['tokenHash', 'text'],
  ['title', 'text'],
  ['heading', 'text'],
  ['text', 'text'],
  ['expected', 'integer'],
  ['autosaveSince', 'bigint'],
  ['snapshot', 'text'],
  ['now', 'bigint'],
  ['slotName', 'text'],
  ['slotKey', 'text'],
  ['slotMax', 'integer'],
  ['slotEnds', 'bigint'],
] as const;

export interface SaveArguments {
  readonly notebook: string;
  readonly page: string;
  readonly tokenHash: string | null;
  readonly title: string | null;
  readonly heading: string | null;
  readonly text: string | null;
  readonly expected: number | null;
  readonly autosaveSince: number | null;
  readonly snapshot: string;
  readonly now: number;
  readonly slotName: string | null;
  readonly slotKey: string | null;
  readonly slotMax: number | null;
  readonly slotEnds: number | null;
}

type Kind = Exclude<(ChangePageResult | WriteRefused)['kind'], 'snapshot_missing'> | 'busy';

interface Answer extends PlacedAnswer {
  readonly kind: Kind;
  readonly slotFullUntil: number | null;
  readonly position: number;
  readonly givenTitle: string;
  readonly heading: string;
  readonly revision: number;
  readonly updatedAt: number;
  /** Null: the same text that was sent. */
  readonly markdown: string | null;
}

type SaveStatement = Statement<Record<string, Value>, Answer>;

/**
 * How long combined saves wait for a rate slot that another transaction holds. After that, each is sent alone, and only those of that slot
 * keep waiting. Combined saves do not wait for notebooks at all.
 */
const slotWaitMillis = 100;

/** The function of migration 0016: any number of whole saves in one round trip to the server. */
export function saveTogether(builder: Kysely<Tables>): (count: number) => SaveStatement {
  const compiled = new Map<number, SaveStatement>();
  const compile = (count: number): SaveStatement =>
    statement<Record<string, Value>, Answer>(given => {
      const each = (name: string) => sql.join(Array.from({ length: count }, (_, at) => sql`${given[`${at} ${name}`]}`));
      const arrays = sql.join(columns.map(([name, type]) => sql`ARRAY[${each(name)}]::${sql.raw(type)}[]`));
      return {
        compile: () =>
          sql<Answer>`SELECT place, kind, slot_full_until AS "slotFullUntil", page_position AS position, page_title AS "givenTitle",
              page_heading AS heading, page_revision AS revision, page_updated_at AS "updatedAt", page_text AS markdown
            FROM save_pages_1(${arrays}, ${given.maxBytes}, ${given.maxSnapshotBytes}, ${sql.lit(keptSnapshots)},
              CASE WHEN ${given.waits} THEN true
                ELSE set_config('lock_timeout', ${sql.lit(String(slotWaitMillis))}, true) IS NULL END)`.compile(builder),
      };
    });
  return count => {
    const known = compiled.get(count) ?? compile(count);
    compiled.set(count, known);
    return known;
  };
}

interface SaveParts {
  readonly budget: { readonly maxNotebookBytes: number };
  readonly together: ReturnType<typeof saveTogether>;
}

export type SavePage = (
  by: Owner,
  pageId: string,
  change: PageChange,
  now: number,
  slot: RateSlot | undefined,
) => Promise<ChangePageResult>;

/** Saves with the database's function; saves that arrive while others are under way are sent together. */
export function createSavePage(engine: Engine, { budget, together }: SaveParts): SavePage {
  const { maxNotebookBytes: maxBytes } = budget;
  const maxSnapshotBytes = maxBytes * limits.snapshotBytesPerNotebookByte;
  const run: Run<SaveArguments, Answer> = (saves, waits) => {
    const args: Record<string, Value> = { maxBytes, maxSnapshotBytes, waits };
    for (const [at, save] of saves.entries()) for (const [name] of columns) args[`${at} ${name}`] = save[name];
    return engine.run(together(saves.length), args);
  };
  const save = batchSaves(run);
  return async (by, pageId, change, now, slot) => {
    const answer = await save({
      notebook: by.notebookId,
      page: pageId,
      tokenHash: by.editTokenHash,
      title: change.givenTitle ?? null,
      heading: change.heading ?? null,
      text: change.markdown ?? null,
      expected: change.expectedRevision ?? null,
      autosaveSince: change.autosave ? now - autosaveSnapshotMillis : null,
      snapshot: change.newSnapshotId,
      now,
      slotName: slot?.name ?? null,
      slotKey: slot?.key ?? null,
      slotMax: slot?.max ?? null,
      slotEnds: slot ? now + slot.windowSeconds * 1000 : null,
    });
    const { kind, slotFullUntil, position, givenTitle, heading, revision, updatedAt, markdown } = answer;
    switch (kind) {
      case 'changed':
      case 'unchanged':
      case 'stale': {
        const page = { id: pageId, notebookId: by.notebookId, position, givenTitle, heading, revision, updatedAt };
        return { kind, page: { ...page, markdown: markdown ?? change.markdown ?? '' } };
      }
      case 'notebook_too_large':
        return { kind, maxBytes };
      case 'rate_limited': {
        const full = slotFullUntil === null ? undefined : { endsAt: slotFullUntil };
        return { kind, retryAfterSeconds: secondsToWait(full, now, slot?.windowSeconds ?? 0) };
      }
      case 'busy':
        throw new Error('A save that waits was answered "busy".');
      default:
        return { kind };
    }
  };
}
