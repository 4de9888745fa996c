import { parseFragment, serialize } from 'parse5';
import { OverBound } from './bounds.ts';

const mostRounds = 5;

/**
 * What the text wrote as HTML can, once sanitized, stand in places where the next parser moves it (a link in a link, a block in
 * a table). Such moves are what mutation attacks are made of: the output is read again until reading changes nothing.
 */
export function settle(html: string): string {
  let settled = html;
  for (let round = 0; round < mostRounds; round += 1) {
    const again = serialize(parseFragment(settled));
    if (again === settled) return settled;
    settled = again;
  }
  throw new OverBound('nesting');
}
