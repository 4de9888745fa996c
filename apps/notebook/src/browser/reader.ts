import { addCopyButtons } from './copy-code.ts';
import { watchScrollBoxes } from './scroll-boxes.ts';

// A view needs no script. This one makes wide tables and code scroll by keyboard everywhere, and adds what only a script can do.
watchScrollBoxes(document);

if (document.documentElement.dataset.kind === 'view') {
  addCopyButtons(document);
  // Without a script the pointer finds them, and the table of contents is there for keys.
  for (const anchor of document.querySelectorAll<HTMLElement>('.prose .anchor')) {
    anchor.tabIndex = 0;
    anchor.removeAttribute('aria-hidden');
    anchor.ariaLabel = `Link to “${anchor.parentElement?.textContent?.trim() ?? ''}”`;
  }
}
