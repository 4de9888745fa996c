import { describe, expect, it } from 'vitest';
import { createPasswords, requirePasswordFits } from './passwords.ts';

it('closes when what is hashed is done; who waits is refused, and so is who comes later', async () => {
  const passwords = createPasswords(8);
  const order: string[] = [];
  const first = passwords.hash('one').then(hash => order.push(`hashed ${hash.slice(0, 7)}`));
  const waiting = passwords.hash('two', 'another').catch(error => order.push(error.code));
  const checked = passwords.matches('one', await createPasswords(4).hash('one')).then(right => order.push(`checked ${right}`));
  await passwords.close();
  // Lets callbacks that were queued at the same moment run first.
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

const client = '203.0.113.7';

describe('a password', () => {
  it('has 1 to 72 bytes', async () => {
    const passwords = createPasswords(4);
    const longest = 'ü'.repeat(36);
    const tooLong = {
      code: 'invalid',
      extras: {
        detail: 'password: must have 1 to 72 bytes of UTF-8',
        errors: [{ path: 'password', message: 'must have 1 to 72 bytes of UTF-8' }],
      },
    };
    for (const password of ['', `${longest}x`]) {
      expect(() => requirePasswordFits(password)).toThrow(expect.objectContaining(tooLong));
      await expect(passwords.hash(password)).rejects.toMatchObject(tooLong);
    }
    expect(await passwords.matches('x', await passwords.hash('x'))).toBe(true);
    const hash = await passwords.hash(longest);
    expect(hash).toMatch(/^\$2b\$04\$/);
    expect(await passwords.matches(longest, hash)).toBe(true);
    // bcrypt itself would compare 72 bytes and report a match.
    expect(await passwords.matches(`${longest}x`, hash)).toBe(false);
    expect(await passwords.matches('', hash)).toBe(false);
    await passwords.close();
  });

  it('is refused where too many are checked or set at once', async () => {
    const passwords = createPasswords(4);
    const hash = await passwords.hash('right');
    const count = async (asked: Promise<unknown>[]) => {
      const refusals = (await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
      return [refusals.length, refusals[0]?.reason.code, refusals[0]?.reason.extras];
    };
    const times = (most: number, run: (at: number) => Promise<unknown>) => Array.from({ length: most }, (_, at) => run(at));
    const full = (retryAfterSeconds: number, detail: string) => ['unavailable', { retryAfterSeconds, detail }];
    expect(await count(times(20, () => passwords.matches('right', hash, client)))).toEqual([
      ...[2, ...full(1, 'Too many passwords are being checked right now.')],
    ]);
    expect((await count(times(36, at => passwords.matches('right', hash, `client ${at}`)))).slice(0, 2)).toEqual([
      2,
      'unavailable',
    ]);
    expect(await count(times(15, () => passwords.hash('right', client)))).toEqual([
      ...[2, ...full(5, 'Too many passwords are being set right now.')],
    ]);
    expect((await count(times(19, at => passwords.hash('right', `client ${at}`)))).slice(0, 2)).toEqual([2, 'unavailable']);
    await passwords.close();
  });
});
