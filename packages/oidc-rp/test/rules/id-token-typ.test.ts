import { expect, test } from 'vitest';
import { expectHeaderRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

test.each([['logout+jwt'], ['at+jwt'], ['application/at+jwt'], ['secevent+jwt'], [7], [null], ['']])(
  'refuses a token of type %j',
  async typ => {
    await expectHeaderRefused('OIDC_JWT_TYPE', { typ });
  },
);

test.each([['JWT'], ['jwt'], ['application/jwt']])('accepts the type %j', async typ => {
  const op = await FakeOp.start();
  op.faults.idTokenHeader = header => ({ ...header, typ });
  expect((await signInAt(op)).identity.subject).toBe('sub-1');
});
