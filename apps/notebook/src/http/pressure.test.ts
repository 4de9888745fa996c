import { describe, expect, it } from 'vitest';
import { type Load, levelOf } from './pressure.ts';

const calm: Load = { lagMillis: 5, memoryShare: 0.2, heapShare: 0.2, requests: 10 };

describe('the pressure on the process', () => {
  it('is none on a calm day', () => expect(levelOf(calm)).toBe('none'));

  it.each<[Partial<Load>, Partial<Load>]>([
    [{ lagMillis: 500 }, { lagMillis: 2_000 }],
    [{ memoryShare: 0.9 }, { memoryShare: 0.95 }],
    [{ heapShare: 0.8 }, { heapShare: 0.95 }],
    [{ requests: 1_500 }, { requests: 5_000 }],
  ])('is high at %o and severe at %o', (high, severe) => {
    expect(levelOf({ ...calm, ...high })).toBe('high');
    expect(levelOf({ ...calm, ...severe })).toBe('severe');
  });
});
