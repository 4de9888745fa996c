import { createServer } from 'node:http';
import { openStore } from '@octavo/sign-in-store';
import { expect, test } from 'vitest';
import { startProblem } from './start-problem.ts';

const messageOf = (error: unknown) => (startProblem(error) as Error).message;

test('a store that cannot be opened is told by its setting, with the reason', async () => {
  const error = await openStore('sqlite:/dev/null/nowhere/gate.db').catch((found: unknown) => found);
  expect(messageOf(error)).toMatch(
    /^The gate cannot start with this configuration:\n {2}- session\.store: cannot be opened: .*ENOTDIR/,
  );
});

test('a database server that is not there, by whichever addresses', async () => {
  const password = 'hush';
  const error = await openStore(`postgres://gate:${password}@localhost:1/gate`).catch((found: unknown) => found);
  expect(messageOf(error)).toMatch(/session\.store: cannot be opened: .*ECONNREFUSED/);
  expect(messageOf(error)).not.toContain(password);
});

test('an address that is taken is told by its setting', async () => {
  const [first, second] = [createServer(), createServer()];
  await new Promise<void>(resolve => first.listen(0, '127.0.0.1', resolve));
  const { port } = first.address() as { port: number };
  const error = await new Promise(resolve => second.once('error', resolve).listen(port, '127.0.0.1'));
  expect(messageOf(error)).toContain('listen: another program listens at this address: stop it, or choose another port');
  first.close();
});

test('any other error stays what it is', () => {
  const error = new Error('of ours');
  expect(startProblem(error)).toBe(error);
});

test('an account of PostgreSQL that may not create tables is told by the setting', () => {
  const error = Object.assign(new Error('permission denied for schema public'), { code: '42501', severity: 'ERROR' });
  expect(messageOf(error)).toContain('session.store: cannot be opened: permission denied for schema public');
});
