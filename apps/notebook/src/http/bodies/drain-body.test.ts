import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { limits } from '../../limits.ts';
import { readMore } from './body-turns.ts';
import { drainBody } from './drain-body.ts';

const incoming = (fields: object = {}) =>
  Object.assign(new PassThrough(), { complete: false }, fields) as PassThrough & IncomingMessage;
const isOver = async (draining: Promise<void>) =>
  await Promise.race([draining.then(() => true), new Promise(resolve => setImmediate(resolve, false))]);
/** Ends long before the timeout after which draining gives up. */
async function endsSoon(draining: Promise<void>): Promise<void> {
  let over = false;
  const told = draining.then(() => {
    over = true;
  });
  await expect.poll(() => over, { timeout: 8_000 }).toBe(true);
  await told;
}

it('reads on to the end and keeps nothing', async () => {
  const body = incoming();
  const draining = drainBody(body);
  body.write(Buffer.alloc(1_000));
  expect(await isOver(draining)).toBe(false);
  body.end(Buffer.alloc(1_000));
  await endsSoon(draining);
  expect(body.readableLength).toBe(0);
});

it('reads on to the end where a reader stopped reading', async () => {
  const body = incoming();
  const reader = new PassThrough();
  body.pipe(reader);
  // More than the reader keeps: it lets the body wait.
  for (let chunk = 0; chunk < 10; chunk++) body.write(Buffer.alloc(100_000));
  body.end();
  await expect.poll(() => body.isPaused()).toBe(true);
  await endsSoon(drainBody(body));
});

it('reads no more than a turn of the event loop may, and goes on in a later one', async () => {
  const body = incoming();
  const pause = vi.spyOn(body, 'pause');
  const draining = drainBody(body);
  readMore('another', 2_000_000, () => {});
  body.write(Buffer.alloc(1_000));
  await expect.poll(() => body.readableLength).toBe(0);
  expect(pause).toHaveBeenCalledTimes(1);
  body.end(Buffer.alloc(1_000));
  await endsSoon(draining);
});

it('stops past the bound', async () => {
  const body = incoming();
  const draining = drainBody(body);
  body.emit('data', { length: limits.maxDrainedBytes - 1 });
  body.emit('data', { length: 1 });
  expect(await isOver(draining)).toBe(false);
  body.emit('data', { length: 1 });
  await endsSoon(draining);
});

it('a sender that breaks off ends it', async () => {
  const body = incoming();
  const draining = drainBody(body);
  body.destroy(new Error('the line is cut'));
  await endsSoon(draining);
});

it('has nothing to do where all is read', async () => {
  const complete = incoming({ complete: true });
  await drainBody(complete);
  expect(complete.listenerCount('data')).toBe(0);
  const ended = incoming();
  ended.end();
  for await (const _ of ended);
  await drainBody(ended);
  expect(ended.listenerCount('data')).toBe(0);
  const destroyed = incoming();
  destroyed.destroy();
  await drainBody(destroyed);
  expect(destroyed.listenerCount('data')).toBe(0);
});
