/** Shows a picture at the size of the window, or at full size after a click. Esc, the button and a click beside it close it. */
function showLarge(link: HTMLAnchorElement): void {
  const small = link.querySelector('img');
  const dialog = document.createElement('dialog');
  dialog.className = 'zoomed';
  dialog.ariaLabel = small?.alt || 'Image';
  const image = document.createElement('img');
  image.src = link.href;
  image.alt = small?.alt ?? '';
  image.referrerPolicy = 'no-referrer';
  const size = document.createElement('button');
  size.type = 'button';
  size.className = 'zoomed-size';
  size.ariaLabel = 'Actual size';
  size.ariaPressed = 'false';
  size.append(image);
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'button zoomed-close';
  close.textContent = 'Close';
  close.autofocus = true;
  dialog.append(close, size);
  const caption = link.closest('figure')?.querySelector('figcaption')?.textContent;
  if (caption) {
    const words = document.createElement('p');
    words.className = 'zoomed-caption';
    words.dir = 'auto';
    words.textContent = caption;
    dialog.append(words);
  }
  dialog.addEventListener('click', ({ target }) => {
    if (target === image || target === size) size.ariaPressed = String(dialog.toggleAttribute('data-actual'));
    else dialog.close();
  });
  dialog.addEventListener('close', () => {
    dialog.remove();
    link.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
}

// Clicks that open a new tab or download the file are left to the link.
document.addEventListener('click', event => {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a.zoom');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  showLarge(link);
});
