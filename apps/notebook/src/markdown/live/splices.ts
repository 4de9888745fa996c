import { alignKnown } from './align-known.ts';

/** Replaces `remove` parts from index `at` on by `insert`. Indexes refer to the list after the previous splices. */
export interface Splice {
  readonly at: number;
  readonly remove: number;
  readonly insert: readonly string[];
}

export function splicesBetween(before: readonly string[], now: readonly string[]): Splice[] {
  const splices: Splice[] = [];
  const old = before.map((html, place) => ({ html, place }));
  const known = alignKnown(now, old, (html, part) => html === part.html);
  let insert: string[] = [];
  let reached = 0;
  const close = (at: number, next: number): void => {
    if (insert.length > 0 || next > reached) splices.push({ at: at - insert.length, remove: next - reached, insert });
    insert = [];
  };
  for (const [at, html] of now.entries()) {
    const place = known[at]?.place;
    if (place === undefined) insert.push(html);
    else {
      close(at, place);
      reached = place + 1;
    }
  }
  close(now.length, before.length);
  return splices;
}
