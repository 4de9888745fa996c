import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { headerValues } from './header-values.ts';

test('all values of a header, in their order, and of no other', () => {
  const rawHeaders = ['X-One', '1', 'x-one', '2', 'X-Two', 'x-one', 'x-ones', '3', 'X-ONE', ''];
  const valuesOf = (name: string) => headerValues({ rawHeaders } as unknown as IncomingMessage, name);
  expect(valuesOf('x-one')).toEqual(['1', '2', '']);
  expect(valuesOf('x-two')).toEqual(['x-one']);
  expect(valuesOf('x-six')).toEqual([]);
});
