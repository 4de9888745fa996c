import type { PageCopy } from './notebook-copy.ts';
import { pageFileName } from './page-file.ts';

/** `03-weekly-plan.md`. The number keeps the notebook's order in any sorting and makes each name unique. */
export function numberedFileName(place: number, count: number, page: PageCopy): string {
  const digits = Math.max(2, String(count).length);
  return `${String(place + 1).padStart(digits, '0')}-${pageFileName(page)}`;
}
