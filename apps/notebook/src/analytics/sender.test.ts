import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createAnalytics } from './sender.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('holds no more than a thousand events while the host does not answer', async () => {
  const sent: number[] = [];
  let answer = () => {};
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    sent.push((JSON.parse(body) as { batch: unknown[] }).batch.length);
    await new Promise<void>(resolve => (answer = resolve));
    return new Response();
  });
  const log = { debug: () => {}, warn: () => {} };
  const { capture, close } = createAnalytics({ key: 'k', host: 'https://a.example', now: () => 0, log });
  const captureMany = async () => {
    for (let event = 0; event < 1_000; event++) capture('notebook_deleted', {});
    await vi.advanceTimersByTimeAsync(10_000);
  };
  for (let times = 0; times < 3; times++) await captureMany();
  const answerAll = async () => {
    for (let batches = 0; batches < 40; batches++) {
      answer();
      await vi.advanceTimersByTimeAsync(0);
    }
  };
  await answerAll();
  expect(sent).toEqual(Array.from({ length: 10 }, () => 100));
  // What was sent makes room for more.
  await captureMany();
  await answerAll();
  expect(sent.length).toBe(20);
  const closed = close();
  await vi.advanceTimersByTimeAsync(1_000);
  await closed;
});
