import { readFileSync } from 'node:fs';
import * as openidClient from 'openid-client';
import { expect, test } from 'vitest';
import { OidcError } from '../src/index.ts';
import { algorithms, answers } from './support/answers.ts';
import { signInAt } from './support/expect-refused.ts';
import { FakeOp } from './support/fake-op.ts';

type Verdict = 'accepts' | 'refuses';

async function opWith(name: string, alg: string): Promise<FakeOp> {
  const op = await FakeOp.start(alg);
  // The other library has no clock of its own to set.
  op.nowMs = Date.now();
  op.faults = answers[name]!(alg);
  return op;
}

async function ours(name: string, alg: (typeof algorithms)[number]): Promise<Verdict> {
  const op = await opWith(name, alg);
  try {
    await signInAt(op, { options: { idTokenAlgorithms: [alg] } });
    return 'accepts';
  } catch (error) {
    expect(error).toBeInstanceOf(OidcError);
    return 'refuses';
  }
}

/** With the switch that makes it verify signatures on the code flow, and everything else that it can be told to expect. */
async function theirs(name: string, alg: string): Promise<Verdict> {
  const op = await opWith(name, alg);
  const authentication = openidClient.ClientSecretBasic(op.secret);
  const metadata = { id_token_signed_response_alg: alg };
  const config = new openidClient.Configuration(
    op.metadata() as unknown as openidClient.ServerMetadata,
    op.clientId,
    metadata,
    authentication,
  );
  config[openidClient.customFetch] = (url, options) => op.fetch(url, options as RequestInit);
  openidClient.enableNonRepudiationChecks(config);
  const checks = {
    pkceCodeVerifier: openidClient.randomPKCECodeVerifier(),
    expectedState: openidClient.randomState(),
    expectedNonce: openidClient.randomNonce(),
  };
  const url = openidClient.buildAuthorizationUrl(config, {
    redirect_uri: 'https://rp.example/callback',
    scope: 'openid',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await openidClient.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  try {
    await openidClient.authorizationCodeGrant(config, new URL(op.authorize(url)), { ...checks, idTokenExpected: true });
    return 'accepts';
  } catch {
    return 'refuses';
  }
}

test('explains every difference from openid-client over 200 answers, and lists no other reason', {
  timeout: 120_000,
}, async () => {
  const differences = new Map<string, string>();
  const accepted = new Set<string>();
  let given = 0;
  for (const name of Object.keys(answers)) {
    for (const alg of algorithms) {
      given += 1;
      const verdicts = [await ours(name, alg), await theirs(name, alg)];
      if (verdicts[0] === 'accepts') accepted.add(name);
      if (verdicts[0] !== verdicts[1]) differences.set(name, `ours ${verdicts[0]}, openid-client ${verdicts[1]}`);
    }
  }
  expect(given).toBe(200);
  expect([...accepted]).toEqual([
    'honest',
    'unknown claims',
    'typ JWT',
    'aud a list with another, azp ours',
    'kid missing',
    'jku of another',
  ]);
  const document = readFileSync(new URL('../../../docs/oidc/differential.md', import.meta.url), 'utf8');
  const reasons = new Map(
    [...document.matchAll(/^\| ([^|]+?) \| (ours [^|]+?) \| [^|]{20,} \|$/gm)].map(row => [row[1]!, row[2]!]),
  );
  expect(Object.fromEntries(reasons)).toEqual(Object.fromEntries(differences));
});
