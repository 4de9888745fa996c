import type { ApiNotebook } from '../../api/types.ts';
import { requireNotebook } from '../api/own-answers.ts';

/** As long as a session trusts what it last read (session/notebook-sync.ts). On a slow line the script may come later than that. */
const freshMilliseconds = 10_000;

/** Takes the notebook out of the page, where the server put a small one. Undefined: the server must be asked. */
export function takeOpeningNotebook(): ApiNotebook | undefined {
  const block = document.querySelector('script.opening-notebook');
  block?.remove();
  return block && performance.now() < freshMilliseconds ? requireNotebook(JSON.parse(block.textContent)) : undefined;
}
