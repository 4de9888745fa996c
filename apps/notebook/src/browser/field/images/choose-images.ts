import type { FieldContext } from '../text/field-wiring.ts';
import { readField } from '../text/text-edit.ts';
import { ImageUploads } from './image-uploads.ts';

/** Named one by one: phones then turn their own formats into one of these before they hand it over. */
const accepted = 'image/png,image/jpeg,image/gif,image/webp,image/avif';

/** Opens the browser's file dialog; what is chosen goes in where the caret was. */
export function chooseImages(field: HTMLTextAreaElement, { session }: FieldContext): void {
  const uploads = ImageUploads.of(session);
  if (uploads.refuseWhenOff()) return;
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = accepted;
  input.multiple = true;
  input.hidden = true;
  input.setAttribute('aria-label', 'Images to insert');
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    input.remove();
    // After the selection: choosing a file is no wish to lose what was selected.
    const { end } = readField(field);
    uploads.add(files, { from: end, to: end });
  });
  input.addEventListener('cancel', () => input.remove());
  // Outside the document, phones forget it before the answer comes.
  document.body.append(input);
  input.click();
}
