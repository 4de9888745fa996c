import { expect, it } from 'vitest';
import { box, u32 } from '../../../test/images/file-parts.ts';
import { boxesIn, findBox, getBox } from './boxes.ts';
import { Bytes } from './bytes.ts';

const read = (...parts: Buffer[]) => {
  const bytes = new Bytes(Buffer.concat(parts));
  return boxesIn(bytes, 0, bytes.length);
};

it('boxes stand one behind the other, with short and long sizes', () => {
  const long = Buffer.concat([u32(1), Buffer.from('long'), u32(0, 18), Buffer.alloc(2)]);
  expect(read(box('one ', Buffer.alloc(3)), long, box('two ', Buffer.alloc(0)))).toEqual([
    { name: 'one ', start: 0, content: 8, end: 11 },
    { name: 'long', start: 11, content: 27, end: 29 },
    { name: 'two ', start: 29, content: 37, end: 37 },
  ]);
});

it('the last one may go to the end of what it lies in', () => {
  const bytes = new Bytes(Buffer.concat([u32(0), Buffer.from('last'), Buffer.alloc(9)]));
  expect(boxesIn(bytes, 0, 12)).toEqual([{ name: 'last', start: 0, content: 8, end: 12 }]);
});

it.each([
  ['shorter than its own head', [u32(7), Buffer.from('tiny'), Buffer.alloc(8)]],
  ['longer than what it lies in', [u32(17), Buffer.from('huge'), Buffer.alloc(8)]],
  ['long, and shorter than its own head', [u32(1), Buffer.from('long'), u32(0, 15)]],
  ['cut off in its head', [u32(8), Buffer.from('cut')]],
])('one that is %s is refused', (_, parts) => expect(() => read(...parts)).toThrow('is cut off'));

it('a box is found once or not at all', () => {
  const boxes = read(box('one ', Buffer.alloc(0)), box('two ', Buffer.alloc(0)), box('two ', Buffer.alloc(0)));
  expect(findBox(boxes, 'one ')).toBe(boxes[0]);
  expect(findBox(boxes, 'none')).toBeUndefined();
  expect(getBox(boxes, 'one ')).toBe(boxes[0]);
  expect(() => getBox(boxes, 'none')).toThrow('lacks a part');
  expect(() => findBox(boxes, 'two ')).toThrow('has a part twice');
});
