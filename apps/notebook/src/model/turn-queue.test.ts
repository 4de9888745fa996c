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

  it('lets those go first for whom a person waits', () => {
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
  ])('past the bound of %s sends away the newest of the client with most in line', (_, limits) => {
    const line = new TurnQueue<ReturnType<typeof turn>>(limits);
    for (const id of ['a1', 'a2', 'a3']) expect(line.add(turn('a', { id }))).toEqual([]);
    expect(line.add(turn('b', { id: 'b1' })).map(({ id }) => id)).toEqual(['a3']);
    expect(line.add(turn('a', { id: 'a4' })).map(({ id }) => id)).toEqual(['a4']);
    expect(takeAll(line)).toEqual(['a1', 'b1', 'a2']);
  });

  it('counts for each payer of a turn what that one has in line', () => {
    const line = new TurnQueue<ReturnType<typeof turn>>({ ...roomy, maxTurns: 3 });
    for (const id of ['1', '2']) line.add(turn(`address-${id} notebook`, { id }));
    line.add(turn('b'));
    expect(line.add(turn('c')).map(({ id }) => id)).toEqual(['2']);
  });

  it('sends background work away before anything that a person waits for', () => {
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

  it('counts its turns, and takes those alone that fit', () => {
    const line = new TurnQueue<ReturnType<typeof turn>>(roomy);
    line.add(turn('a', { bytes: 100 }));
    line.add(turn('b', { bytes: 5 }));
    expect(line.length).toBe(2);
    expect(line.take(({ bytes }) => bytes < 10)?.id).toBe('b');
    expect([line.length, line.take(({ bytes }) => bytes < 10), line.length]).toEqual([1, undefined, 1]);
    expect(line.clear().map(({ id }) => id)).toEqual(['a']);
    expect(line.length).toBe(0);
  });

  it('turns without a name take no place of each other', () => {
    const line = new TurnQueue<ReturnType<typeof turn>>(roomy);
    line.add(turn('a'));
    expect(line.add(turn('a'))).toEqual([]);
    line.add(turn('a', { name: 'page 1' }));
    expect(line.add(turn('a', { name: 'page 2' }))).toEqual([]);
  });

  it('gives the room of those that left to others', () => {
    const line = new TurnQueue<ReturnType<typeof turn>>({ ...roomy, maxBytes: 20 });
    line.add(turn('a', { name: 'page', bytes: 20 }));
    line.add(turn('a', { name: 'page', bytes: 10 }));
    expect(line.add(turn('b', { bytes: 10 }))).toEqual([]);
    line.clear();
    expect(line.add(turn('c', { bytes: 20 }))).toEqual([]);
  });

  it('takes back a guess that was too high, and forgets what is less than a millisecond', () => {
    let now = 0;
    const line = new TurnQueue({ ...roomy, now: () => now });
    line.charge(turn('a b'), 100);
    line.charge(turn('a'), -40);
    expect([line.usedBy(turn('a')), line.usedBy(turn('b')), line.usedBy(turn('a b')), line.usedBy(turn('c'))]).toEqual([
      60, 100, 100, 0,
    ]);
    line.charge(turn('b'), -500);
    expect(line.usedBy(turn('b'))).toBe(0);
    // The default half-life is a minute.
    now = 60_000;
    expect(line.usedBy(turn('a'))).toBe(30);
    line.charge(turn('d'), 1);
    expect(line.usedBy(turn('d'))).toBe(1);
    now += 1;
    expect(line.usedBy(turn('d'))).toBe(0);
  });

  it('of more than 10,000 payers forgets the half that used least', () => {
    const line = new TurnQueue<ReturnType<typeof turn>>(roomy);
    for (let payer = 10_000; payer >= 1; payer--) line.charge(turn(`payer-${payer}`), payer);
    expect(line.usedBy(turn('payer-1'))).toBe(1);
    line.charge(turn('one more'), 20_000);
    const used = ['payer-1', 'payer-5000', 'payer-5001', 'one more'].map(payer => line.usedBy(turn(payer)));
    expect(used).toEqual([0, 0, 5_001, 20_000]);
  });
});
