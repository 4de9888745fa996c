import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { whenIdle } from '../device/when-idle.ts';
import { Preview, type PreviewNotice } from '../preview/preview.ts';
import { ScrollSync } from '../preview/scroll/scroll-sync.ts';
import type { PageEditor } from './use-page-editors.ts';

const mostIdleMilliseconds = 1_000;
const tooLarge = 'This page is too deep, wide or large to be rendered; readers see it as plain text.';

/** The notices say "may", because this device may be slower or faster than the server. */
const words: Partial<Record<PreviewNotice, string>> = {
  unloaded: 'The preview could not load. Try again, or reload the page. Your text is safe.',
  fault: 'The preview stopped at this text. Readers may see it as plain text.',
  time: 'This page takes too long to render here. Readers may see it as plain text: the service stops after 6 seconds.',
  slow: 'This page took long to render here. Readers may see it as plain text: the service stops after 6 seconds.',
};

interface PreviewPaneProps {
  readonly editor: PageEditor;
  readonly paper: string;
  readonly shown: boolean;
}

/** Shows how a page will look to its readers. */
export function PreviewPane({ editor, paper, shown }: PreviewPaneProps): VNode {
  const [notice, setNotice] = useState<PreviewNotice>();
  const tryAgain = useRef(() => {});
  useEffect(() => {
    const field = editor.field.current!;
    const preview = new Preview({
      pageId: editor.page.id,
      place: editor.prose.current!,
      pane: editor.preview.current!,
      read: () => editor.page.saver.text,
      notice: setNotice,
      drawn: () => sync.follow(),
    });
    const sync = new ScrollSync({
      field,
      preview: editor.preview.current!,
      shown: preview.shown,
      read: () => editor.page.saver.text,
    });
    tryAgain.current = () => {
      // The button is about to disappear.
      editor.preview.current!.focus();
      preview.tryAgain();
    };
    const show = (): void => {
      if (!editor.preview.current) return;
      editor.showText = () => preview.changed();
      editor.showText();
    };
    // On a small screen the text comes first, and the pane is hidden until it is asked for: its worker is as large as the editor.
    if (editor.preview.current!.clientHeight > 0) show();
    else void whenIdle(mostIdleMilliseconds).then(show);
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
      {notice && (
        <p class="notice warning" role={notice === 'unloaded' ? 'alert' : undefined}>
          {words[notice] ?? tooLarge}{' '}
          {notice === 'unloaded' && (
            <button type="button" class="button" onClick={() => tryAgain.current()}>
              Try again
            </button>
          )}
        </p>
      )}
      <div class="prose" ref={editor.prose} />
    </section>
  );
}
