import { expect, it } from 'vitest';
import { createPasswords } from './passwords.ts';

it('closes when what is hashed is done; who waits is refused, and so is who comes later', async () => {
  const passwords = createPasswords(8);
  const order: string[] = [];
  const first = passwords.hash('one').then(hash => order.push(`hashed ${hash.slice(0, 7)}`));
  const waiting = passwords.hash('two', 'another').catch(error => order.push(error.code));
  const checked = passwords.matches('one', await createPasswords(4).hash('one')).then(right => order.push(`checked ${right}`));
  await passwords.close();
  // Whoever was told of a result in the same moment comes first.
  await new Promise(resolve => setImmediate(resolve));
  order.push('closed');
  expect(order.toSorted()).toEqual(['checked true', 'closed', 'hashed $2b$08$', 'unavailable'].toSorted());
  expect(order.at(-1)).toBe('closed');
  await Promise.all([first, waiting, checked]);
  await expect(passwords.hash('three')).rejects.toMatchObject({ code: 'unavailable' });
  await expect(passwords.matches('three', '$2b$04$x')).rejects.toMatchObject({ code: 'unavailable' });
});

it('closes at once when nothing is hashed', async () => {
  expect(await createPasswords().close()).toBeUndefined();
});
