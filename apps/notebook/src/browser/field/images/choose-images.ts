import type { FieldContext } from '../text/field-wiring.ts';
import { readField } from '../text/text-edit.ts';
import { ImageUploads } from './image-uploads.ts';

/** Types are named one by one, so that phones convert their own formats to one of these. */
const accepted = 'image/png,image/jpeg,image/gif,image/webp,image/avif';

/** Opens the browser's file dialog. The chosen images go in where the caret was. */
export function chooseImages(field: HTMLTextAreaElement, { session, page }: FieldContext): void {
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
    const refusal = refusalOf(session, page);
    if (refusal !== undefined) {
      const text = `What you chose was not inserted: ${refusal}.`;
      session.notes.show({ name: 'images not inserted', tone: 'warning', text });
      return;
    }
    // Inserted after the selection, because choosing a file should not delete the selected text.
    const { end } = readField(field);
    uploads.add(files, { from: end, to: end });
  });
  input.addEventListener('cancel', () => input.remove());
  // An input outside the document is discarded on phones before the choice is made.
  document.body.append(input);
  input.click();
}

/** The file dialog may stay open for minutes, and others go on writing meanwhile. */
function refusalOf(session: FieldContext['session'], page: FieldContext['page']): string | undefined {
  if (session.current !== page) return `“${page.name}” is no longer open. Go to a page and insert it there`;
  return session.notebook.readOnly ? 'the notebook is read-only now' : undefined;
}
