import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PlainReason } from '../../markdown/rendered.ts';
import { Preview } from '../preview/preview.ts';
import { ScrollSync } from '../preview/scroll/scroll-sync.ts';
import type { PageEditor } from './use-page-editors.ts';

interface PreviewPaneProps {
  readonly editor: PageEditor;
  readonly paper: string;
  readonly shown: boolean;
}

/** How one page will look to its readers. */
export function PreviewPane({ editor, paper, shown }: PreviewPaneProps): VNode {
  const [plain, setPlain] = useState<PlainReason>();
  useEffect(() => {
    const field = editor.field.current!;
    const preview = new Preview({
      pageId: editor.page.id,
      place: editor.prose.current!,
      pane: editor.preview.current!,
      read: () => editor.page.saver.text,
      notice: setPlain,
      drawn: () => sync.follow(),
    });
    const sync = new ScrollSync({
      field,
      preview: editor.preview.current!,
      shown: preview.shown,
      read: () => editor.page.saver.text,
    });
    editor.showText = () => preview.changed();
    editor.showText();
    return () => {
      editor.showText = undefined;
      sync.close();
      preview.close();
    };
  }, []);
  return (
    <section
      ref={editor.preview}
      class={`preview-pane sheet paper-${paper}`}
      data-shown={shown}
      aria-label="Preview"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      {plain && <p class="notice warning">This page is too deep, wide or large to be rendered; readers see it as plain text.</p>}
      <div class="prose" ref={editor.prose} />
    </section>
  );
}
