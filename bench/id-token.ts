import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { RelyingParty } from '../packages/oidc-rp/src/index.ts';

// ID Token validations per second of processor time, all threads counted, with every check of the standard, against jose's bare
// `jwtVerify` with an imported key and its own checks of issuer, audience and time, alternating in one run. The floor is 0.95 of
// jose, `at_hash` included.
const seconds = Number(process.argv[2] ?? 3);
const turns = 40;
const floor = 0.95;
const issuer = 'https://op.example';
const clientId = 'notes';
const accessToken = 'a'.repeat(43);
const nonce = 'n'.repeat(43);

for (const alg of ['RS256', 'ES256'] as const) {
  const { token, publicKey, relyingParty } = await arrange(alg);
  const bare = () => jwtVerify(token, publicKey, { issuer, audience: clientId, algorithms: [alg] });
  const ours = () => relyingParty.validateIdToken(token, { nonce: { value: nonce, when: 'always' } });
  const withHash = () => relyingParty.validateIdToken(token, { nonce: { value: nonce, when: 'always' }, accessToken });
  for (const inFlight of [1, 16]) {
    const { rates, ratios } = await compare({ bare, ours, withHash }, inFlight);
    const below = Math.min(ratios.ours!, ratios.withHash!) < floor;
    console.log(
      `${alg}, ${inFlight} in flight: jose ${round(rates.bare!)}/s, ours ${round(rates.ours!)}/s (${ratios.ours!.toFixed(3)}), ` +
        `with at_hash ${round(rates.withHash!)}/s (${ratios.withHash!.toFixed(3)})${below ? `: below ${floor}` : ''}`,
    );
    if (below) process.exitCode = 1;
  }
}

async function arrange(alg: 'RS256' | 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg, use: 'sig' };
  const at_hash = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
  const person = {
    sub: 'sub-1',
    name: 'A Reader',
    email: 'reader@example.org',
    email_verified: true,
    locale: 'de',
    sid: 'session-1',
  };
  const token = await new SignJWT({ ...person, nonce, at_hash, auth_time: Math.floor(Date.now() / 1000) })
    .setProtectedHeader({ alg, kid: 'k1', typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(clientId)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  return { token, publicKey, relyingParty: relyingPartyWith(jwk, alg) };
}

function relyingPartyWith(jwk: object, alg: 'RS256' | 'ES256'): RelyingParty {
  return new RelyingParty({
    issuer,
    clientId,
    clientAuthentication: { method: 'none' },
    redirectUri: 'https://rp.example/callback',
    idTokenAlgorithms: [alg],
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    },
    fetch: async () => Response.json({ keys: [jwk] }),
  });
}

/** Alternates, so that a slow moment of the machine affects all; the ratio is the median of the turns' own ratios to the first. */
async function compare(candidates: Record<string, () => Promise<unknown>>, inFlight: number) {
  const seen: Record<string, number[]> = Object.fromEntries(Object.keys(candidates).map(name => [name, []]));
  for (const work of Object.values(candidates)) await perSecond(work, inFlight, 0.3);
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [name, work] of Object.entries(candidates)) seen[name]!.push(await perSecond(work, inFlight, seconds / turns));
  }
  const first = Object.values(seen)[0]!;
  const each = (value: (rates: number[]) => number) =>
    Object.fromEntries(Object.entries(seen).map(([name, rates]) => [name, value(rates)]));
  return { rates: each(median), ratios: each(rates => median(rates.map((rate, turn) => rate / first[turn]!))) };
}

function median(values: number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

async function perSecond(work: () => Promise<unknown>, inFlight: number, duration: number): Promise<number> {
  const began = process.cpuUsage();
  const end = performance.now() + duration * 1000;
  let done = 0;
  const worker = async () => {
    while (performance.now() < end) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const { user, system } = process.cpuUsage(began);
  return (done * 1e6) / (user + system);
}

function round(rate: number): string {
  return Math.round(rate).toLocaleString('en');
}
