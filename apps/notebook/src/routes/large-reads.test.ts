import { expect, it } from 'vitest';
import { limits } from '../limits.ts';
import { enterLargeFind, enterLargePrint } from './large-reads.ts';

it.each([
  ['searches', enterLargeFind],
  ['prints', enterLargePrint],
])('the large %s of one client leave a place to others', async (_, enter) => {
  const leaving: (() => void)[] = [];
  const come = async (client: string) => void leaving.push(await enter(client));
  for (let count = 0; count < limits.maxLargeFindsAtOnce; count++) void come('greedy');
  await come('modest');
  expect(leaving).toHaveLength(limits.maxLargeFindsAtOnce);
  // Waiting readers get the places that become free.
  for (const leave of leaving.splice(0)) leave();
  await expect.poll(() => leaving.length).toBe(1);
  leaving[0]!();
});
