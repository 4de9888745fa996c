import { expect, test } from 'vitest';
import { expectRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { createKey, forge, keptKey } from '../support/forge.ts';

const noKid = ({ kid: _, ...header }: Record<string, unknown>) => header;

async function opWithKeys(count: number): Promise<FakeOp> {
  const op = await FakeOp.start('ES256');
  const others = Array.from({ length: count - 1 }, (_, at) => keptKey(`other-${at}`, 'ES256'));
  op.keys.push(...(await Promise.all(others)));
  op.keys.reverse();
  op.faults.idTokenHeader = noKid;
  return op;
}

const options = { idTokenAlgorithms: ['ES256'] as const };

test('a token without a key id is verified with the only key', async () => {
  expect((await signInAt(await opWithKeys(1), { options })).identity.subject).toBe('sub-1');
});

test('a token without a key id is verified with one of four', async () => {
  const op = await opWithKeys(4);
  op.faults.idToken = async ({ header, claims }) => forge(noKid(header), claims, op.keys[3]!);
  expect((await signInAt(op, { options })).identity.subject).toBe('sub-1');
});

test('a token without a key id that could be of five is refused', async () => {
  await expect(signInAt(await opWithKeys(5), { options })).rejects.toMatchObject({ code: 'OIDC_KEY_AMBIGUOUS' });
});

test('only keys of the right kind are tried', async () => {
  const stranger = await keptKey('stranger', 'RS256');
  await expectRefused(
    'OIDC_KEY_UNKNOWN',
    { jwks: () => ({ keys: [{ ...stranger.publicJwk }] }) },
    { alg: 'ES256', options },
    { idTokenHeader: noKid },
  );
});

test('rotation is noticed although the token names no key', async () => {
  const op = await opWithKeys(1);
  const rp = op.relyingParty(options);
  await signInAt(op, {}, rp);
  op.keys = [await createKey('ES256')];
  expect((await signInAt(op, {}, rp)).identity.subject).toBe('sub-1');
  expect(op.asked('/jwks')).toBe(2);
});

test('a forged token without a key id costs one fetch and is refused', async () => {
  const op = await opWithKeys(1);
  const rp = op.relyingParty(options);
  await signInAt(op, {}, rp);
  const stranger = await keptKey('stranger', 'ES256');
  op.faults.idToken = ({ header, claims }) => forge(noKid(header), claims, stranger);
  await expect(signInAt(op, {}, rp)).rejects.toMatchObject({ code: 'OIDC_JWT_SIGNATURE' });
  expect(op.asked('/jwks')).toBe(2);
});
