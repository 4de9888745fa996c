/** Hosts whose images the owner has allowed in this window. */
const shownHosts = new Set<string>();

/**
 * While writing, an image from another host is fetched only after a click: otherwise a pasted text would tell that host, at every
 * keystroke, who is writing. Images from our own store are exempt. Called before the fragment is in the document, so before any fetch.
 */
export function blockRemoteImages(fragment: DocumentFragment): void {
  for (const image of fragment.querySelectorAll('img')) {
    const host = remoteHost(image.getAttribute('src') ?? '');
    if (host === undefined || shownHosts.has(host)) continue;
    image.replaceWith(showButton(image, host));
  }
}

function remoteHost(src: string): string | undefined {
  try {
    const url = new URL(src, location.href);
    const isOurs = url.origin === location.origin || url.origin === ownImageOrigin();
    return /^https?:$/.test(url.protocol) && !isOurs ? url.host : undefined;
  } catch {
    return undefined;
  }
}

/** The origin of our image store, written into the page by the server. */
function ownImageOrigin(): string | undefined {
  return document.querySelector<HTMLElement>('#editor')?.dataset.imageOrigin;
}

function showButton(image: HTMLImageElement, host: string): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button held-image';
  button.textContent = `Show the image from ${host}`;
  if (image.alt) button.append(`: ${image.alt}`);
  button.addEventListener('click', event => {
    event.preventDefault();
    shownHosts.add(host);
    const hadFocus = document.activeElement === button;
    const pane = button.closest<HTMLElement>('.preview-pane');
    button.replaceWith(image);
    // The next Tab continues from there.
    if (hadFocus) pane?.focus({ preventScroll: true });
  });
  return button;
}
