import type { RefObject, VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { ApiImage } from '../../api/types.ts';
import { dayWords } from '../device/date-words.ts';
import type { EditorPage } from '../session/editor-page.ts';
import { useFocusOnChange } from '../ui/use-focus-on-change.ts';
import { listNames, pagesShowing, readWords, sizeInWords } from './page-images.ts';

interface ImageItemProps {
  readonly image: ApiImage;
  /** The words that pages have between its brackets, as Markdown. */
  readonly words: string;
  readonly pages: readonly EditorPage[];
  readonly onCopy: () => void;
  readonly onInsert: () => void;
  readonly onDelete: () => void;
}

/** One image in the list. Deleting asks first and says what would break. */
export function ImageItem({ image, words, pages, onCopy, onInsert, onDelete }: ImageItemProps): VNode {
  const [asking, setAsking] = useState(false);
  const harmless = useFocusOnChange<HTMLButtonElement>(asking);
  const shownOn = pagesShowing(image, pages).map(page => page.name);
  const described = readWords(words);
  const name = nameOf(image, described);
  return (
    <li class="image-item">
      <a class="image-thumb" href={image.url} target="_blank" rel="noopener noreferrer" aria-label={`Open ${name}`}>
        <img src={image.url} alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" />
      </a>
      <div class="image-facts">
        <p>
          <strong>{`${image.width} × ${image.height}`}</strong>, {sizeInWords(image.bytes)}
        </p>
        <p class="hint">
          <time dateTime={image.createdAt}>{dayWords(image.createdAt)}</time>
        </p>
        <p class="hint" dir="auto">
          {shownOn.length === 0 ? 'On no page' : `On ${listNames(shownOn)}`}
        </p>
        {shownOn.length > 0 && (
          <p class="hint" dir="auto">
            {described === '' ? 'Not described' : `Described as “${described}”`}
          </p>
        )}
      </div>
      {asking ? (
        <Question shownOn={shownOn} keep={harmless} onKeep={() => setAsking(false)} onDelete={onDelete} />
      ) : (
        <p class="image-actions">
          <button type="button" class="button quiet" aria-label={`Insert ${name} at the caret`} onClick={onInsert}>
            Insert
          </button>
          <button type="button" class="button quiet" aria-label={`Copy link of ${name}`} onClick={onCopy}>
            Copy link
          </button>
          <button type="button" class="button quiet" aria-label={`Delete ${name}`} ref={harmless} onClick={() => setAsking(true)}>
            Delete
          </button>
        </p>
      )}
    </li>
  );
}

interface QuestionProps {
  readonly shownOn: readonly string[];
  readonly keep: RefObject<HTMLButtonElement | null>;
  readonly onKeep: () => void;
  readonly onDelete: () => void;
}

function Question({ shownOn, keep, onKeep, onDelete }: QuestionProps): VNode {
  const label = useId();
  const consequence =
    shownOn.length === 0
      ? 'No page shows it. Earlier versions that do will have a gap.'
      : `It is shown on ${listNames(shownOn)}, which will then have a gap. So will earlier versions that show it.`;
  return (
    <fieldset class="image-question" aria-labelledby={label}>
      <p id={label} dir="auto">{`Delete this image for good? ${consequence}`}</p>
      <p class="button-row">
        <button type="button" class="button danger" onClick={onDelete}>
          Delete it
        </button>
        <button type="button" class="button" ref={keep} onClick={onKeep}>
          Keep it
        </button>
      </p>
    </fieldset>
  );
}

/** A name that tells images apart for people who do not see them. */
function nameOf({ width, height, createdAt }: ApiImage, described: string): string {
  // "image" is what a picture from the clipboard is called, and a link from this list.
  if (described !== '' && described !== 'image') return `the image “${described}”`;
  return `the image of ${width} by ${height} pixels from ${dayWords(createdAt)}`;
}
