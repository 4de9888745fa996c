import { type Kysely, sql } from 'kysely';
import { limits } from '../../limits.ts';
import type { Writer } from '../../model/rights.ts';
import { autosaveSnapshotMillis, keptSnapshots } from '../../model/snapshot.ts';
import type { Engine } from '../engine.ts';
import { secondsToWait } from '../kept/kept-statements.ts';
import type { RateSlot } from '../kept/rate-slot.ts';
import { statement } from '../statement.ts';
import type { ChangePageResult, PageChange } from '../store.ts';
import type { Tables } from '../tables.ts';
import type { WriteRefused } from '../write-refused.ts';

interface Given {
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
  readonly maxBytes: number;
  readonly maxSnapshotBytes: number;
  readonly slotName: string | null;
  readonly slotKey: string | null;
  readonly slotMax: number | null;
  readonly slotEnds: number | null;
}

interface Answer {
  readonly kind: Exclude<(ChangePageResult | WriteRefused)['kind'], 'snapshot_missing'>;
  readonly slotFullUntil: number | null;
  readonly position: number;
  readonly givenTitle: string;
  readonly heading: string;
  readonly revision: number;
  readonly updatedAt: number;
  /** Null: the text that was sent. */
  readonly markdown: string | null;
}

/** The function of migration 0011: the whole save in one round trip to the server. */
export function oneStatementSave(builder: Kysely<Tables>) {
  return statement((given: Given) => ({
    compile: () =>
      sql<Answer>`SELECT kind, slot_full_until AS "slotFullUntil", page_position AS position, page_title AS "givenTitle",
          page_heading AS heading, page_revision AS revision, page_updated_at AS "updatedAt", page_text AS markdown
        FROM save_page_1(${given.notebook}, ${given.page}, ${given.tokenHash}, ${given.title}, ${given.heading}, ${given.text},
          ${given.expected}, ${given.autosaveSince}, ${given.snapshot}, ${given.now}, ${given.maxBytes}, ${given.maxSnapshotBytes},
          ${sql.lit(keptSnapshots)}, ${given.slotName}, ${given.slotKey}, ${given.slotMax}, ${given.slotEnds})`.compile(builder),
  }));
}

export async function savePageInOneStatement(
  engine: Engine,
  {
    budget,
    atOnce,
  }: { readonly budget: { readonly maxNotebookBytes: number }; readonly atOnce: ReturnType<typeof oneStatementSave> },
  by: Writer,
  pageId: string,
  change: PageChange,
  now: number,
  slot: RateSlot | undefined,
): Promise<ChangePageResult> {
  const { maxNotebookBytes: maxBytes } = budget;
  const [answer] = await engine.run(atOnce, {
    notebook: by.notebookId,
    page: pageId,
    tokenHash: by.kind === 'owner' ? by.editTokenHash : null,
    title: change.givenTitle ?? null,
    heading: change.heading ?? null,
    text: change.markdown ?? null,
    expected: change.expectedRevision ?? null,
    autosaveSince: change.autosave ? now - autosaveSnapshotMillis : null,
    snapshot: change.newSnapshotId,
    now,
    maxBytes,
    maxSnapshotBytes: maxBytes * limits.snapshotBytesPerNotebookByte,
    slotName: slot?.name ?? null,
    slotKey: slot?.key ?? null,
    slotMax: slot?.max ?? null,
    slotEnds: slot ? now + slot.windowSeconds * 1000 : null,
  });
  if (!answer) throw new Error('A save got no answer.');
  const { kind, slotFullUntil, markdown, ...facts } = answer;
  switch (kind) {
    case 'changed':
    case 'unchanged':
    case 'stale':
      return { kind, page: { id: pageId, notebookId: by.notebookId, ...facts, markdown: markdown ?? change.markdown ?? '' } };
    case 'notebook_too_large':
      return { kind, maxBytes };
    case 'rate_limited': {
      const full = slotFullUntil === null ? undefined : { endsAt: slotFullUntil };
      return { kind, retryAfterSeconds: secondsToWait(full, now, slot?.windowSeconds ?? 0) };
    }
    default:
      return { kind };
  }
}
