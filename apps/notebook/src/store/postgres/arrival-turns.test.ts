import { PassThrough } from 'node:stream';
import { beforeEach, expect, it } from 'vitest';
import { arriveInTurns } from './arrival-turns.ts';

const piece = Buffer.alloc(65_536);
const laterTurn = () => new Promise<void>(resolve => setImmediate(resolve));

beforeEach(async () => {
  // What earlier tests let arrive has its turns first.
  for (let turn = 0; turn < 5; turn += 1) await laterTurn();
});

/** @returns the pieces of each connection that arrived in each turn */
async function arrivals(connections: number, pieces: number): Promise<number[][]> {
  const turns: number[][] = [[]];
  let arrived = 0;
  for (let connection = 0; connection < connections; connection += 1) {
    const source = new PassThrough({ highWaterMark: pieces * piece.length });
    arriveInTurns(source);
    source.on('data', () => {
      arrived += 1;
      turns.at(-1)!.push(connection);
    });
    for (let count = 0; count < pieces; count += 1) source.write(piece);
  }
  while (arrived < connections * pieces) {
    await laterTurn();
    turns.push([]);
  }
  return turns.filter(({ length }) => length > 0);
}

it('a long answer arrives in several turns, a quarter of a mebibyte in each', async () => {
  expect(await arrivals(1, 10)).toEqual([
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [0, 0],
  ]);
});

it('past the bound each of several connections brings one piece more, and goes on in later turns', async () => {
  const turns = await arrivals(3, 8);
  expect(turns[0]).toEqual([0, 0, 0, 0, 1, 2]);
  expect(Math.max(...turns.map(({ length }) => length))).toBe(6);
  expect(turns.flat()).toHaveLength(24);
});

it('what is short arrives at once, turn after turn', async () => {
  for (let turn = 0; turn < 20; turn += 1) expect(await arrivals(2, 1)).toHaveLength(1);
});
