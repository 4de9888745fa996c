import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PlainReason } from '../../markdown/rendered.ts';
import { Preview } from '../preview/preview.ts';
import { ScrollSync } from '../preview/scroll/scroll-sync.ts';
import type { PageDesk } from './use-desks.ts';

interface DeskLookingProps {
  readonly desk: PageDesk;
  readonly paper: string;
  readonly shown: boolean;
}

/** How one page will look to its readers. */
export function DeskLooking({ desk, paper, shown }: DeskLookingProps): VNode {
  const [plain, setPlain] = useState<PlainReason>();
  useEffect(() => {
    const field = desk.field.current!;
    const preview = new Preview({
      pageId: desk.page.id,
      place: desk.pane.current!,
      pane: desk.looking.current!,
      read: () => desk.page.saver.text,
      notice: setPlain,
      drawn: () => sync.follow(),
    });
    const sync = new ScrollSync({
      field,
      looking: desk.looking.current!,
      shown: preview.shown,
      read: () => desk.page.saver.text,
    });
    const onInput = (): void => preview.changed();
    preview.changed();
    field.addEventListener('input', onInput);
    return () => {
      field.removeEventListener('input', onInput);
      sync.close();
      preview.close();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls must be reachable by keyboard
    <section ref={desk.looking} class={`looking sheet paper-${paper}`} data-shown={shown} aria-label="Preview" tabIndex={0}>
      {plain && <p class="notice warning">This page is too deep, wide or large to be rendered; readers see it as plain text.</p>}
      <div class="prose" ref={desk.pane} />
    </section>
  );
}
