/** @returns false when the browser refused; the caller then says so and shows the text to copy by hand */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/**
 * Copies a text that is still on its way. Safari lets a page write to the clipboard only within the click itself, so the promise is
 * handed over there and then, and the text follows.
 *
 * @returns false when the browser refused, or when the text never came
 */
export async function copyWhenReady(text: Promise<string>): Promise<boolean> {
  try {
    const blob = text.then(ready => new Blob([ready], { type: 'text/plain' }));
    // A browser that refuses does not wait for it: nobody would hear that the text never came.
    blob.catch(() => {});
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
    return true;
  } catch {
    const ready = await text.catch(() => undefined);
    return ready === undefined ? false : copyText(ready);
  }
}

/** `navigator.clipboard` is absent on plain http; the older way still works there inside a click. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  const before = document.activeElement;
  // Behind a modal dialog nothing takes the selection.
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
