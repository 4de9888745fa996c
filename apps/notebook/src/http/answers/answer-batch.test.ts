import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { AnswerBatch } from './answer-batch.ts';

function open() {
  const ended: unknown[] = [];
  const batch = new AnswerBatch();
  const answer = (body: string | undefined) =>
    batch.end(
      { end: (given: Buffer | undefined) => ended.push(given && String(given)) } as unknown as ServerResponse,
      body === undefined ? body : Buffer.from(body),
    );
  return { ended, answer };
}

it('answers are sent at the end of their turn, in their order', async () => {
  const { ended, answer } = open();
  for (const body of ['first', undefined, 'third']) answer(body);
  await Promise.resolve();
  expect(ended).toEqual([]);
  await nextTurn();
  expect(ended).toEqual(['first', undefined, 'third']);
  answer('later');
  expect(ended).toHaveLength(3);
  await nextTurn();
  expect(ended.at(-1)).toBe('later');
});

it('64 answers wait for no more of them', async () => {
  const { ended, answer } = open();
  for (let count = 1; count < 64; count++) answer('one');
  expect(ended).toHaveLength(0);
  answer('last');
  expect(ended).toHaveLength(64);
  answer('next');
  expect(ended).toHaveLength(64);
  await nextTurn();
  expect(ended).toHaveLength(65);
});

it('answers wait for nothing after a long turn', async () => {
  const { ended, answer } = open();
  answer('first');
  for (const until = performance.now() + 10; performance.now() < until; );
  await nextTurn();
  answer('second');
  expect(ended).toEqual(['first', 'second']);
});
