import { expect, it } from 'vitest';
import { hasRoomForPage, isPageOrder } from './page-order.ts';

it.each([
  ['another order', ['b', 'a'], true],
  ['one missing', ['a'], false],
  ['one twice', ['a', 'a'], false],
  ['one twice and all there', ['a', 'b', 'b'], false],
  ['a stranger', ['a', 'c'], false],
  ['all and a stranger', ['a', 'b', 'c'], false],
])('%s', (_, order, isOne) => expect(isPageOrder(order, ['a', 'b'])).toBe(isOne));

it('a notebook has room for 200 pages', () => expect([hasRoomForPage(199), hasRoomForPage(200)]).toEqual([true, false]));
