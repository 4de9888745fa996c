import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import type { ImageChecker } from '../../src/images/image-checker.ts';
import { createImageChecker } from '../../src/images/process-checker.ts';
import { childPids, pidOf } from './child-pids.ts';
import { aPicture } from './pictures.ts';

/** Takes a while to decode; encoding it takes longer, so it is made once. */
const slow = await sharp({ create: { width: 4_000, height: 3_000, channels: 3, background: '#345' } })
  .avif({ effort: 0 })
  .toBuffer();

let checker: ImageChecker;
afterEach(() => checker.close());

describe.skipIf(process.platform === 'linux' ? undefined : 'only Linux tells the memory of a process')(
  'the process that checks images',
  () => {
    it('is ended with a file that takes too long, and another one takes the next', async () => {
      checker = createImageChecker({ timeMillis: 1 });
      const check = async () => expect(await checker.check(slow)).toEqual({ fault: 'The file takes too long to decode.' });
      const pids = [await pidOf(check), await pidOf(check)];
      expect(pids).toEqual([expect.any(Number), expect.any(Number)]);
      expect(pids[1]).not.toBe(pids[0]);
      await expect.poll(() => childPids().filter(pid => pids.includes(pid)), { timeout: 10_000 }).toEqual([]);
    });

    it('takes its own file with it when it crashes in the middle of it, and no other', async () => {
      checker = createImageChecker();
      const pid = await pidOf(async () => checker.check(await aPicture('png')));
      let stopped = await stopWhileDecoding(pid);
      // A busy machine may look too late.
      while (stopped === 'decoded') stopped = await stopWhileDecoding(pid);
      const { verdict } = stopped;
      const next = checker.check(await aPicture('gif'));
      process.kill(pid, 'SIGSEGV');
      process.kill(pid, 'SIGCONT');
      expect(await verdict).toEqual({ fault: 'The file has damaged pixels.' });
      expect(await next).toMatchObject({ type: 'gif' });
    });

    /** Has a file checked, and stops the process once it is at work. */
    async function stopWhileDecoding(pid: number): Promise<'decoded' | { verdict: Promise<unknown> }> {
      const { ticks: before } = statOf(pid);
      let isOver = false;
      const verdict = checker.check(slow).finally(() => {
        isOver = true;
      });
      await expect.poll(() => statOf(pid).ticks, { interval: 1 }).toBeGreaterThan(before);
      process.kill(pid, 'SIGSTOP');
      await expect.poll(() => statOf(pid).state, { interval: 1 }).toBe('T');
      // What it answered before it stood still arrives in these turns.
      await nextTurn();
      await nextTurn();
      if (!isOver) return { verdict };
      process.kill(pid, 'SIGCONT');
      return 'decoded';
    }

    it('may report a fault while nobody asks: it ends nobody else', async () => {
      checker = createImageChecker();
      const children: ChildProcess[] = [];
      const note = (told: unknown) => void children.push((told as { process: ChildProcess }).process);
      subscribe('child_process', note);
      await checker.check(await aPicture('png'));
      unsubscribe('child_process', note);
      expect(children).toHaveLength(1);
      // Where nobody listened, this would be thrown.
      expect(() => children[0]!.emit('error', new Error('late'))).not.toThrow();
      expect(await checker.check(await aPicture('gif'))).toMatchObject({ type: 'gif' });
    });

    it('takes no more than it can keep waiting', async () => {
      checker = createImageChecker({ waitingBytes: 10_000 });
      const file = await aPicture('png', { width: 60, height: 60 });
      const answers = await Promise.all(Array.from({ length: 4 }, () => checker.check(file)));
      expect(answers.map(answer => (answer === 'busy' ? 'busy' : 'checked'))).toEqual(['checked', 'busy', 'busy', 'busy']);
      expect(await checker.check(file)).toMatchObject({ type: 'png' });
    });

    it('looks at one file of each address in turn, not at those that came first', async () => {
      checker = createImageChecker();
      const picture = await aPicture('png');
      const order: string[] = [];
      const hostile = Array.from({ length: 3 }, (_, index) =>
        checker.check(picture, 'hostile').then(() => order.push(`hostile ${index}`)),
      );
      const other = checker.check(picture, 'other').then(verdict => {
        expect(verdict).toMatchObject({ type: 'png' });
        order.push('other');
      });
      await Promise.all([...hostile, other]);
      expect(order.indexOf('other')).toBeLessThanOrEqual(1);
    });

    it('sends away a file of the address with the most files when its line is full', async () => {
      checker = createImageChecker({ waitingFiles: 3 });
      const file = await aPicture('png');
      const hostile = Array.from({ length: 4 }, () => checker.check(file, 'hostile'));
      expect(await checker.check(file, 'other')).toMatchObject({ type: 'png' });
      expect((await Promise.all(hostile)).map(answer => (answer === 'busy' ? 'busy' : 'checked'))).toEqual([
        'checked',
        'checked',
        'checked',
        'busy',
      ]);
    });

    it('ends when it is idle, and starts again when it is needed', async () => {
      checker = createImageChecker({ idleMillis: 50 });
      const pid = await pidOf(async () => checker.check(await aPicture('png')));
      await expect.poll(() => childPids().includes(pid), { timeout: 10_000 }).toBe(false);
      expect(await checker.check(await aPicture('png'))).toMatchObject({ type: 'png' });
    });
  },
);

/** A process's state, and its processor time in hundredths of a second, which grows while it decodes (proc(5), fields 3, 14 and 15). */
function statOf(pid: number): { state: string; ticks: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return { state: fields[0]!, ticks: Number(fields[11]) + Number(fields[12]) };
}
