import { expect, test } from 'vitest';
import { signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { createKey, forge } from '../support/forge.ts';

test("does not verify one provider's token with another's keys", async () => {
  const honest = await FakeOp.start();
  const other = await FakeOp.start();
  other.keys = [await createKey('RS256', 'other-key')];
  other.issuer = 'https://other.example';
  await signInAt(other);
  honest.faults.idToken = ({ header, claims }) => forge({ ...header, kid: 'other-key' }, claims, other.keys[0]!);
  await expect(signInAt(honest)).rejects.toMatchObject({ code: 'OIDC_KEY_UNKNOWN' });
  expect(honest.strangers).toEqual([]);
});
