import { watchScrollBoxes } from '../ui/scroll-boxes.ts';
import { addCopyButtons } from './copy-code.ts';

const isView = document.documentElement.dataset.kind === 'view';

// A view needs no script. This one makes wide tables and code scroll by keyboard everywhere, and adds what only a script can do.
watchScrollBoxes(document);
// A text that was plain for the moment is rendered in its place (later.ts).
addEventListener('octavo-rendered', () => {
  watchScrollBoxes(document);
  if (isView) dress();
});

// Browsers print the address at the foot of each sheet: a PDF must not carry the edit token.
const ownedPrint = /^\/e\/[\w-]{43}\/print$/.test(location.pathname);
const view = document.querySelector<HTMLAnchorElement>('.print-bar a')?.pathname;
if (ownedPrint && view !== undefined) history.replaceState(null, '', `${view}/print`);

if (isView) {
  followFragments();
  dress();
}

function dress(): void {
  addCopyButtons(document);
  // Without a script the pointer finds them, and the table of contents is there for keys.
  for (const anchor of document.querySelectorAll<HTMLElement>('.prose .anchor')) {
    anchor.tabIndex = 0;
    anchor.removeAttribute('aria-hidden');
    anchor.ariaLabel = `Link to “${anchor.parentElement?.textContent?.trim() ?? ''}”`;
  }
}

/** Ids of the text have a prefix that keeps them apart from ours; the address bar is spared it, and leads to them without it. */
function followFragments(): void {
  const prefix = 'user-content-';
  const follow = (): void => {
    const id = location.hash.slice(1);
    if (id.startsWith(prefix)) history.replaceState(history.state, '', `#${id.slice(prefix.length)}`);
    else if (id && !document.getElementById(decoded(id)) && document.getElementById(decoded(prefix + id)))
      location.replace(`#${prefix}${id}`);
  };
  addEventListener('hashchange', follow);
  follow();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
