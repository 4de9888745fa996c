import type { RefObject, VNode } from 'preact';
import type { NotebookSession } from '../notebook-session.ts';
import { chooseImages } from './choose-images.ts';

interface ImageButtonProps {
  readonly session: NotebookSession;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

export function ImageButton({ session, field }: ImageButtonProps): VNode {
  const choose = (): void => {
    if (field.current && !field.current.readOnly) chooseImages(field.current, { session, page: session.current });
  };
  return (
    <button
      type="button"
      class="button quiet icon"
      aria-label="Insert images"
      title="Insert images (or paste or drop them)"
      onClick={choose}
    >
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
        <path d="M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.2v.1" />
      </svg>
    </button>
  );
}
