import { describe, expect, it } from 'vitest';
import { type Turn, TurnQueue } from './turn-queue.ts';

const roomy = { maxTurns: 100, maxBytes: 1_000_000, now: () => 0 };

function turn(payers: string, given: Partial<Turn> & { readonly id?: string } = {}) {
  return { id: payers, payers: payers.split(' '), background: false, bytes: 10, ...given };
}

function takeAll(line: TurnQueue<ReturnType<typeof turn>>, cost = 100): string[] {
  const order: string[] = [];
  for (let next = line.take(); next; next = line.take()) {
    order.push(next.id);
    line.charge(next, cost);
  }
  return order;
}

describe('a fair line', () => {
  it('serves by turns, however many one of them sent first', () => {
    const line = new TurnQueue<ReturnType<typeof turn>>(roomy);
    for (const id of ['a1', 'a2', 'a3', 'a4']) line.add(turn('a', { id }));
    line.add(turn('b', { id: 'b1' }));
    line.add(turn('c', { id: 'c1' }));
    expect(takeAll(line)).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', 'a4']);
  });

  it('counts what each used, not how often: one dear turn waits behind many cheap ones', () => {
    const line = new TurnQueue<ReturnType<typeof turn>>(roomy);
    line.charge(turn('dear'), 6_000);
    line.add(turn('dear'));
    for (const id of ['1', '2', '3']) line.add(turn('cheap', { id }));
    expect(takeAll(line)).toEqual(['1', '2', '3', 'dear']);
  });

  it('counts a notebook as well as an address: many addresses at one notebook are one', () => {
    const line = new TurnQueue<ReturnType<typeof turn>>(roomy);
    for (const id of ['1', '2', '3']) line.add(turn(`address-${id} notebook-x`, { id }));
    line.add(turn('address-4 notebook-y', { id: 'other' }));
    expect(takeAll(line)).toEqual(['1', 'other', '2', '3']);
  });

  it('lets those go first for whom somebody waits', () => {
    const line = new TurnQueue<ReturnType<typeof turn>>(roomy);
    line.add(turn('a', { id: 'written', background: true }));
    line.charge(turn('b'), 5_000);
    line.add(turn('b', { id: 'looked at' }));
    expect(takeAll(line)).toEqual(['looked at', 'written']);
  });

  it('forgets use by half in the half-life', () => {
    let now = 0;
    const line = new TurnQueue({ ...roomy, halfLifeMillis: 1_000, now: () => now });
    line.charge(turn('a'), 800);
    now = 1_000;
    expect(line.usedBy(turn('a'))).toBe(400);
    now = 60_000;
    expect(line.usedBy(turn('a'))).toBe(0);
  });

  it('keeps only the newest of a name', () => {
    const line = new TurnQueue<ReturnType<typeof turn>>(roomy);
    line.add(turn('a', { id: 'old', name: 'page 1' }));
    expect(line.add(turn('b', { id: 'new', name: 'page 1' })).map(({ id }) => id)).toEqual(['old']);
    expect(takeAll(line)).toEqual(['new']);
  });

  it.each([
    ['turns', { maxTurns: 3, maxBytes: 1_000 }],
    ['bytes', { maxTurns: 100, maxBytes: 30 }],
  ])('past the bound of %s sends away the newest of whoever has most in line', (_, limits) => {
    const line = new TurnQueue<ReturnType<typeof turn>>(limits);
    for (const id of ['a1', 'a2', 'a3']) expect(line.add(turn('a', { id }))).toEqual([]);
    expect(line.add(turn('b', { id: 'b1' })).map(({ id }) => id)).toEqual(['a3']);
    expect(line.add(turn('a', { id: 'a4' })).map(({ id }) => id)).toEqual(['a4']);
    expect(takeAll(line)).toEqual(['a1', 'b1', 'a2']);
  });

  it('sends background work away before anything that somebody waits for', () => {
    const line = new TurnQueue<ReturnType<typeof turn>>({ ...roomy, maxTurns: 2 });
    line.add(turn('a', { id: 'looked at' }));
    line.add(turn('b', { id: 'written', background: true }));
    expect(line.add(turn('a', { id: 'looked at too' })).map(({ id }) => id)).toEqual(['written']);
  });

  it('counts again from nothing what has left', () => {
    const line = new TurnQueue<ReturnType<typeof turn>>({ ...roomy, maxTurns: 2, maxBytes: 20 });
    for (let round = 0; round < 5; round += 1) {
      expect(line.add(turn('a'))).toEqual([]);
      expect(line.take()?.id).toBe('a');
    }
    expect(line.clear()).toEqual([]);
  });
});
