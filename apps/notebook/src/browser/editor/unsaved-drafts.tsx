import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { KeptTexts } from '../panels/kept-texts.tsx';
import type { AbandonedDraft } from '../session/draft.ts';
import { dropDraft } from '../session/drafts.ts';

/** Unsaved text of a notebook that no longer opens, to copy and download. */
export function UnsavedDrafts({ slug, drafts }: { slug: string; drafts: readonly AbandonedDraft[] }): VNode | null {
  const [left, setLeft] = useState(drafts);
  if (left.length === 0) return null;
  const texts = left.map(draft => ({
    key: `${draft.pageId}/${draft.tab}`,
    title: draft.title,
    markdown: draft.markdown,
    changedAt: draft.changedAt,
    onDiscard: async () => {
      await dropDraft(slug, draft);
      setLeft(now => now.filter(other => other !== draft));
    },
  }));
  return (
    <section class="column left-behind" aria-labelledby="left-behind-title">
      <h2 id="left-behind-title">Unsaved text kept on this device</h2>
      <KeptTexts texts={texts} />
    </section>
  );
}
