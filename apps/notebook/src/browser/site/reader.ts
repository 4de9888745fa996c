import { watchScrollBoxes } from '../ui/scroll-boxes.ts';
import { addCopyButtons } from './copy-code.ts';

const isView = document.documentElement.dataset.kind === 'view';

// A view works without a script. This one makes wide tables and code scroll by keyboard in every browser, and adds what needs a script.
watchScrollBoxes(document);
// later.ts has replaced plain text by the rendered page.
addEventListener('octavo-rendered', () => {
  watchScrollBoxes(document);
  if (isView) enhance();
});

// Browsers print the address at the foot of each sheet, and a PDF must not contain the edit token.
const ownedPrint = /^\/e\/[\w-]{43}\/print$/.test(location.pathname);
const address = document.querySelector<HTMLElement>('.print-bar')?.dataset.address;
if (ownedPrint && address !== undefined) history.replaceState(null, '', address);

if (isView) {
  followFragments();
  enhance();
}

function enhance(): void {
  addCopyButtons(document);
  // For paper only, so it comes after the page. Without it every word of a printed table may break.
  if (document.querySelector('.prose :is(table, math)'))
    import(/* @vite-ignore */ document.documentElement.dataset.fit!).catch(() => {});
  // Without a script anchors are for pointers, and the keyboard has the table of contents.
  for (const anchor of document.querySelectorAll<HTMLElement>('.prose .anchor')) {
    anchor.tabIndex = 0;
    anchor.ariaHidden = null;
    const heading = anchor.parentElement!;
    const words = heading.textContent;
    anchor.ariaLabel = `Link to “${words}”`;
    // Lists of headings would start each one with "Link to". What a picture says is not in the words.
    if (!heading.querySelector('img')) heading.ariaLabel = words;
  }
}

/** Ids from the text have a prefix that keeps them apart from ours. Addresses omit the prefix and work without it. */
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
