import type { UnsavedText } from './save-state.ts';

/** An unsaved text of one page, as a tab keeps it. */
export interface Draft extends UnsavedText {
  readonly pageId: string;
  /** The page's title, for a text whose page is gone. */
  readonly title: string;
  /** Milliseconds since 1970 UTC, by this device's clock. */
  readonly changedAt: number;
}

/** A draft that a tab left behind. */
export interface AbandonedDraft extends Draft {
  readonly tab: string;
}

/** Reads stored values as untrusted input, because another version may have written them. */
export function readDraft(pageId: string, stored: unknown, base: unknown = {}): Draft | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined;
  const { markdown, baseRevision, baseMarkdown, sent, changedAt, title } = { ...(base as object), ...stored } as Record<
    string,
    unknown
  >;
  if (typeof markdown !== 'string' || typeof baseRevision !== 'number' || typeof changedAt !== 'number') return undefined;
  return {
    pageId,
    markdown,
    baseRevision,
    changedAt,
    title: typeof title === 'string' ? title : '',
    ...(typeof baseMarkdown === 'string' ? { baseMarkdown } : {}),
    ...(Array.isArray(sent) ? { sent: sent.filter(text => typeof text === 'string') } : {}),
  };
}
