import { afterEach, expect, it } from 'vitest';
import { TaskProcess } from '../../src/images/task-process.ts';
import { childPids } from './child-pids.ts';

const limits = { timeMillis: 60_000, memoryBytes: 1e9, idleMillis: 60_000 };
let process: TaskProcess<string, object>;
const start = (startMillis: number) => {
  process = new TaskProcess({ name: '../../test/images/hanging-start' }, { ...limits, startMillis });
};
afterEach(() => process.close());

it('a process that hangs at its start is ended, and its task fails', async () => {
  const before = childPids();
  const mine = () => childPids().filter(pid => !before.includes(pid));
  start(300);
  await expect(process.run('one')).rejects.toThrow('hanging-start did not start in time');
  await expect.poll(mine, { timeout: 10_000 }).toEqual([]);
  await expect(process.run('two')).rejects.toThrow('hanging-start did not start in time');
});

it('a process that is still starting when the service ends is ended with it', async () => {
  const before = childPids();
  const mine = () => childPids().filter(pid => !before.includes(pid));
  start(60_000);
  const running = process.run('one').catch((error: Error) => error.message);
  await expect.poll(mine, { timeout: 10_000 }).toHaveLength(1);
  process.close();
  expect(await running).toContain('hanging-start ended at its start');
  await expect.poll(mine, { timeout: 10_000 }).toEqual([]);
});
