import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiImage } from '../../api/types.ts';
import { limits } from '../../limits.ts';
import { ApiProblem } from '../api/api-client.ts';
import { ignoreMissing } from '../api/ignore-missing.ts';
import { copyText } from '../device/copy-text.ts';
import { ImageUploads } from '../field/images/image-uploads.ts';
import { applyEdit, readField } from '../field/text/text-edit.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { sentenceOf } from '../ui/use-session.ts';
import { DialogSaid, type Said } from './dialog-said.tsx';
import { ImageItem } from './image-item.tsx';
import { markdownWordsOf } from './page-images.ts';

/** The notebook's images in the image store, newest first, for the owner. */
export function ImagesDialog({ session, onClose }: { session: NotebookSession; onClose: () => void }): VNode {
  const [list, setList] = useState<readonly ApiImage[]>();
  const [message, setMessage] = useState<Said>();
  const count = useRef<HTMLParagraphElement>(null);
  const load = async (): Promise<void> => setList(await session.api.listImages());
  useEffect(() => void load().catch(problem => setMessage({ words: listProblem(problem), bad: true })), [session]);
  const remove = async (image: ApiImage): Promise<void> => {
    // Emptied first, because the same words twice would be announced only once.
    setMessage(undefined);
    try {
      await session.api.deleteImage(image.id).catch(ignoreMissing);
      await load();
      setMessage({ words: 'The image was deleted.' });
    } catch (problem) {
      setMessage({ words: sentenceOf(problem), bad: true });
    }
    count.current?.focus();
  };
  const copy = async (markdown: string): Promise<void> => {
    setMessage(undefined);
    const copied = await copyText(markdown);
    setMessage(copied ? { words: 'The link was copied.' } : { words: `Copy it by hand: ${markdown}`, bad: true });
  };
  return (
    <Dialog title="Images" wide onClose={onClose}>
      {close => (
        <>
          {list && (
            <p ref={count} tabIndex={-1}>
              {words(list.length)}
            </p>
          )}
          {list && list.length > 0 && (
            <p class="hint">
              People who don’t see an image hear its description: the words between its brackets, <code>![like these]</code>.
            </p>
          )}
          <ul class="image-list">
            {list?.map(image => {
              const described = markdownWordsOf(image, session.pages.all);
              const markdown = described === '' ? image.markdown : `![${described}](${image.url})`;
              return (
                <ImageItem
                  key={image.id}
                  image={image}
                  words={described}
                  pages={session.pages.all}
                  onCopy={() => void copy(markdown)}
                  onInsert={() => {
                    if (!ImageUploads.of(session).places.acceptsText) return setMessage({ words: takesNoText, bad: true });
                    close();
                    insertAtCaret(session, markdown);
                  }}
                  onDelete={() => void remove(image)}
                />
              );
            })}
          </ul>
          <DialogSaid message={message} />
        </>
      )}
    </Dialog>
  );
}

function words(count: number): string {
  const free = limits.maxImagesPerNotebook - count;
  if (count === 0)
    return `This notebook holds no images yet; there is room for ${free}. Paste one into the text, drop it there, or use the image button above it.`;
  const held = `This notebook holds ${count} ${count === 1 ? 'image' : 'images'}`;
  return `${held}; there is room for ${free === 0 ? 'no more' : `${free} more`}. Anyone who knows an image’s address can see it.`;
}

const takesNoText = 'Nothing was inserted: the page takes no changes right now.';

function listProblem(problem: unknown): string {
  if (problem instanceof ApiProblem && problem.code === 'images_off') return 'This server stores no images.';
  return sentenceOf(problem);
}

function insertAtCaret(session: NotebookSession, markdown: string): void {
  const field = ImageUploads.of(session).places.field;
  if (!field) return;
  const { end } = readField(field);
  applyEdit(field, { from: end, to: end, insert: markdown, start: end + markdown.length, end: end + markdown.length });
}
