import { expect, test } from 'vitest';
import type { State } from '../state.ts';
import { isDue } from './due.ts';
import type { KeyedSession } from './sessions.ts';

const now = 1_000_000_000;
const doors = new Map([
  ['corp', { refreshEveryMs: 300_000 }],
  ['uni', {}],
]);

test.each([
  ['corp', undefined, false],
  ['corp', -1, true],
  ['corp', 0, true],
  ['corp', 1, false],
  // A process whose clock is a minute ahead.
  ['corp', 360_000, false],
  // The clock was set back.
  ['corp', 360_001, true],
  ['uni', 3_600_000, false],
  ['gone', 3_600_000, false],
])('a session of %s with %s ms to go is due: %s', (provider, aheadMs, due) => {
  const refreshAt = aheadMs === undefined ? undefined : now + aheadMs;
  expect(isDue({ refreshAt, identity: { provider } as KeyedSession['identity'] }, { doors } as unknown as State, now)).toBe(due);
});
