import { expect, it } from 'vitest';
import { DatabaseUnavailable } from './database-unavailable.ts';

it('says whether a change may be saved, when to try again, and to the operator why', () => {
  const cause = new Error('disk I/O error');
  const [refused, uncertain] = [new DatabaseUnavailable(cause), new DatabaseUnavailable(cause, true)];
  for (const error of [refused, uncertain]) expect(error).toMatchObject({ code: 'unavailable', cause });
  expect([refused.uncertain, uncertain.uncertain]).toEqual([false, true]);
  expect(refused.extras).toEqual({
    retryAfterSeconds: 5,
    detail: 'The database does not work right now. Nothing was changed.',
  });
  expect(uncertain.extras).toEqual({
    retryAfterSeconds: 5,
    detail:
      'The connection to the database broke during the change. It may or may not be saved: read it again before you repeat it.',
  });
});
