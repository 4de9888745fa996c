/** @returns false when the browser refused; the caller must then say so and show the text for copying by hand */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/**
 * Copies a text that is still loading. Safari lets a page write to the clipboard only within the click itself, so the promise is
 * handed over at once and the text follows.
 *
 * @returns false when the browser refused, or when the text never came
 */
export async function copyWhenReady(text: Promise<string>): Promise<boolean> {
  try {
    const blob = text.then(ready => new Blob([ready], { type: 'text/plain' }));
    // A browser that refuses never awaits the blob, so its rejection would be unhandled.
    blob.catch(() => {});
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
    return true;
  } catch {
    const ready = await text.catch(() => undefined);
    return ready === undefined ? false : copyText(ready);
  }
}

/** `navigator.clipboard` is absent on plain HTTP. The older way still works there within a click. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  const before = document.activeElement;
  // Behind a modal dialog nothing can be selected.
  (document.querySelector('dialog:modal') ?? document.body).append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  }
}
