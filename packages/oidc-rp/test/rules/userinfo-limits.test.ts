import { decodeJwt, generateKeyPair } from 'jose';
import { expect, test } from 'vitest';
import { withUserInfo } from '../../src/index.ts';
import { errorOf, signInAt, without } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

async function askedFor(answer: FakeOp['faults']['userInfo'], options: Parameters<FakeOp['relyingParty']>[0] = {}) {
  const op = await FakeOp.start();
  if (options.dpop !== undefined) op.faults.token = response => ({ ...response, token_type: 'DPoP' });
  const rp = op.relyingParty(options);
  const signIn = await signInAt(op, {}, rp);
  op.faults.userInfo = answer!;
  return { op, signIn, userInfo: rp.fetchUserInfo(signIn) };
}

const signed = { userInfoAlgorithms: ['RS256'] } as const;
const signedAnswer = async (changes: Record<string, unknown>, header: Record<string, unknown> = {}) => {
  const op = await FakeOp.start();
  const claims = without({ iss: op.issuer, aud: 'notes', sub: 'sub-1', ...changes });
  return new Response(await op.sign(claims, header), { headers: { 'content-type': 'application/jwt' } });
};

test.each([
  ...['iss', 'aud', 'exp', 'iat', 'nbf', 'nonce', 'azp', 'auth_time', 'acr', 'amr', 'sid'],
  ...['at_hash', 'c_hash', 's_hash', 'jti', 'events'],
])('does not take %s from the endpoint', async name => {
  const { signIn, userInfo } = await askedFor(claims => ({ ...claims, [name]: 'a lie', email: 'a@b.example' }));
  expect(await userInfo).toEqual({ sub: 'sub-1', name: 'Reader', email: 'a@b.example' });
  const joined = withUserInfo(signIn.claims, { sub: 'sub-2', [name]: 'a lie', email: 'a@b.example' });
  expect(joined).toEqual({ ...signIn.claims, email: 'a@b.example' });
});

test('names the subject when the response is about another person', async () => {
  for (const [sub, received] of [
    ['sub-2', 'sub-2'],
    [undefined, 'none'],
  ]) {
    const { userInfo } = await askedFor(claims => without({ ...claims, sub }));
    expect(await errorOf(userInfo)).toMatchObject({ check: 'userinfo.sub', expected: 'sub-1', received });
  }
});

test('asks for JSON, or for a JWT if that is registered', async () => {
  const plain = await askedFor(claims => claims);
  await plain.userInfo;
  expect(plain.op.headers.at(-1)!.get('accept')).toBe('application/json');
  const jwt = await askedFor(() => signedAnswer({}), signed);
  await jwt.userInfo;
  expect(jwt.op.headers.at(-1)!.get('accept')).toBe('application/jwt');
});

test.each([
  [{}, { typ: 'JWT' }],
  [{}, {}],
  [{ exp: 9_999_999_999 }, {}],
  [{ nbf: 1 }, {}],
])('accepts a signed answer with %j and %j', async (changes, header) => {
  expect(await (await askedFor(() => signedAnswer(changes, header), signed)).userInfo).toEqual({ sub: 'sub-1' });
});

test.each([
  [{ iss: 'https://evil.example' }, 'OIDC_CLAIM_ISS', 'userinfo.iss'],
  [{ aud: 'other' }, 'OIDC_CLAIM_AUD', 'userinfo.aud'],
  [{ exp: 'soon' }, 'OIDC_CLAIM_EXP', 'userinfo.exp'],
  [{ exp: null }, 'OIDC_CLAIM_EXP', 'userinfo.exp'],
  [{ exp: 1 }, 'OIDC_TOKEN_EXPIRED', 'userinfo.exp'],
  [{ nbf: 9_999_999_999 }, 'OIDC_CLAIM_NBF', 'userinfo.nbf'],
])('refuses a signed answer with %j and names the claim', async (changes, code, check) => {
  expect(await errorOf((await askedFor(() => signedAnswer(changes), signed)).userInfo)).toMatchObject({ code, check });
});

test('names what was expected when refusing an answer of another kind', async () => {
  const answer = (contentType: string) => () => new Response('{"sub":"sub-1"}', { headers: { 'content-type': contentType } });
  expect(await errorOf((await askedFor(answer('application/json'), signed)).userInfo)).toMatchObject({
    code: 'OIDC_USERINFO_UNSIGNED',
    check: 'userinfo.content_type',
    expected: 'application/jwt',
    received: 'application/json',
  });
  expect(await errorOf((await askedFor(answer('text/plain'))).userInfo)).toMatchObject({
    code: 'OIDC_HTTP_CONTENT_TYPE',
    check: 'userinfo',
  });
  expect(await errorOf((await askedFor(() => new Response('', { status: 500 }))).userInfo)).toMatchObject({
    code: 'OIDC_HTTP_STATUS',
    check: 'userinfo',
    expected: '200',
  });
});

test.each([
  ['Bearer error="invalid_token"', 'invalid_token'],
  [`DPoP algs="ES256", error="${'x'.repeat(100)}"`, 'x'.repeat(100)],
  [`Bearer error="${'x'.repeat(101)}"`, 'unknown'],
  ['Bearer error=""', 'unknown'],
  ['Bearer error="a\\"', 'unknown'],
  ['Bearer xerror="invalid_token"', 'unknown'],
  ['Bearer error_description="gone"', 'unknown'],
  ['Bearer', 'unknown'],
])('reports the refusal %s as %s', async (challenge, providerError) => {
  const { userInfo } = await askedFor(() => new Response(null, { status: 401, headers: { 'www-authenticate': challenge } }));
  expect(await errorOf(userInfo)).toMatchObject({ check: 'userinfo.status', received: '401', providerError });
});

test('repeats the request once with a nonce, and only after a refusal for it', async () => {
  const dpop = { algorithm: 'ES256', ...(await generateKeyPair('ES256')) } as const;
  const nonces: unknown[] = [];
  const asks = (status: number) => {
    let count = 0;
    return (op: FakeOp) => {
      const proof = op.headers.at(-1)!.get('dpop');
      nonces.push(proof === null ? 'no proof' : decodeJwt(proof).nonce);
      count += 1;
      return Response.json({ sub: 'sub-1' }, { status, headers: { 'dpop-nonce': `n${count}` } });
    };
  };
  const outcomeOf = async (status: number, options: Parameters<FakeOp['relyingParty']>[0]) => {
    nonces.length = 0;
    const answer = asks(status);
    const { op, userInfo } = await askedFor(() => answer(op), options);
    const outcome = await userInfo.then(
      () => 'taken',
      error => error.code,
    );
    return [outcome, ...nonces];
  };
  expect(await outcomeOf(200, { dpop })).toEqual(['taken', undefined]);
  expect(await outcomeOf(401, { dpop })).toEqual(['OIDC_USERINFO_UNAUTHORIZED', undefined, 'n1']);
  expect(await outcomeOf(403, { dpop })).toEqual(['OIDC_USERINFO_UNAUTHORIZED', undefined]);
  expect(await outcomeOf(401, {})).toEqual(['OIDC_USERINFO_UNAUTHORIZED', 'no proof']);
});
