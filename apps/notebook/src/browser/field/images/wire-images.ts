import { caretAtPointer } from '../text/caret-at-pointer.ts';
import type { FieldContext, FieldWiring } from '../text/field-wiring.ts';
import { readField } from '../text/text-edit.ts';
import { ImageUploads } from './image-uploads.ts';
import { readImages } from './pasted-images.ts';

/** Handles pasted and dropped images. Events that mean text are left to the other wirings. */
export const wireImages: FieldWiring = (field: HTMLTextAreaElement, { session, page }: FieldContext) => {
  const uploads = ImageUploads.of(session);
  const unwatch = uploads.places.watch(field, page);
  const take = (event: Event, images: File[], place: { from: number; to: number }): void => {
    if (images.length === 0 || field.readOnly) return;
    event.preventDefault();
    uploads.add(images, place);
  };
  const onPaste = (event: ClipboardEvent): void => {
    const { start, end } = readField(field);
    take(event, readImages(event.clipboardData), { from: start, to: end });
  };
  const onDrop = (event: DragEvent): void => {
    const at = caretAtPointer(field, event);
    take(event, readImages(event.dataTransfer), { from: at, to: at });
  };
  field.addEventListener('paste', onPaste);
  field.addEventListener('dragover', allowFiles);
  field.addEventListener('drop', onDrop);
  return () => {
    unwatch();
    field.removeEventListener('paste', onPaste);
    field.removeEventListener('dragover', allowFiles);
    field.removeEventListener('drop', onDrop);
  };
};

/** Without this the browser drops no file here. What the text can't take is told once it is dropped (paste/dropped-files.ts). */
function allowFiles(event: DragEvent): void {
  if (![...(event.dataTransfer?.items ?? [])].some(({ kind }) => kind === 'file')) return;
  event.preventDefault();
  event.dataTransfer!.dropEffect = 'copy';
}
