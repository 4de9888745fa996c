import type { ImageUploads } from './image-uploads.ts';

/** Moves the focus to the text, because the button that was pressed disappears. */
export function keepFocus(uploads: ImageUploads, action: () => void): void {
  action();
  uploads.places.field?.focus({ preventScroll: true });
}
