import { OidcError } from '../../src/index.ts';
import { postLogout } from './expect-refused.ts';
import { FakeOp } from './fake-op.ts';
import { mutateText, mutateToken, seeded } from './mutate.ts';

/** What became of mutated input. */
export interface FuzzReport {
  given: number;
  /** Input that was believed, or that broke something: there must be none. */
  bad: string[];
  codes: Map<string, number>;
  /** Requests that left meanwhile, other than for the key set; and those for the key set. */
  outbound: string[];
  keyFetches: number;
}

const nonce = { value: 'n'.repeat(43), when: 'always' } as const;

/** Gives mutated ID Tokens and logout tokens, by turns, to a relying party whose keys are known. */
export async function fuzzTokens(count: number, seed: number): Promise<FuzzReport> {
  const op = await FakeOp.start(seed % 2 === 0 ? 'RS256' : 'ES256');
  const rp = op.relyingParty({ idTokenAlgorithms: [op.keys[0]!.alg as 'RS256'] });
  const idToken = await op.sign(op.claims({ nonce: nonce.value }));
  const logoutToken = await op.logoutToken();
  await rp.validateIdToken(idToken, { nonce });
  const random = seeded(seed);
  return run(count, op, at => {
    const mutated = mutateToken(at % 2 === 0 ? idToken : logoutToken, random);
    return {
      mutated,
      work: () => (at % 2 === 0 ? rp.validateIdToken(mutated, { nonce }) : rp.readBackChannelLogout(postLogout(mutated))),
    };
  });
}

/** Gives mutated callbacks of sign-ins under way. */
export async function fuzzCallbacks(count: number, seed: number): Promise<FuzzReport> {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  await rp.metadata();
  const random = seeded(seed);
  return run(count, op, async () => {
    const { pending } = await rp.startSignIn();
    const query = new URLSearchParams({ code: 'c'.repeat(20), state: pending.state, iss: op.issuer }).toString();
    let mutated = mutateText(query, random);
    // Another code, or another parameter beside, is still an answer to this sign-in, and the provider's to judge.
    while (isStillAnAnswer(mutated, query)) mutated = mutateText(query, random);
    return { mutated, work: () => rp.finishSignIn(`https://rp.example/callback?${mutated}`, pending) };
  });
}

function isStillAnAnswer(mutated: string, query: string): boolean {
  const [now, before] = [new URL(`https://rp.example/?${mutated}`).searchParams, new URLSearchParams(query)];
  const same = (name: string) => now.getAll(name).length === 1 && now.get(name) === before.get(name);
  const once = [...now.keys()].every(name => now.getAll(name).length === 1);
  return once && same('state') && same('iss') && /^[\x20-\x7e]+$/.test(now.get('code') ?? '');
}

interface Trial {
  mutated: string;
  work: () => Promise<unknown>;
}

async function run(count: number, op: FakeOp, next: (at: number) => Trial | Promise<Trial>): Promise<FuzzReport> {
  const requestsBefore = op.requests.length;
  const report: FuzzReport = { given: 0, bad: [], codes: new Map(), outbound: [], keyFetches: 0 };
  for (let at = 0; at < count; at += 1) {
    const { mutated, work } = await next(at);
    const outcome = await work().then(
      () => 'accepted',
      error => (error instanceof OidcError ? error.code : `crashed: ${error}`),
    );
    report.given += 1;
    report.codes.set(outcome, (report.codes.get(outcome) ?? 0) + 1);
    if (!outcome.startsWith('OIDC_')) report.bad.push(`${outcome}: ${JSON.stringify(mutated)}`);
  }
  const requests = op.requests.slice(requestsBefore);
  report.keyFetches = requests.filter(request => request.endsWith('/jwks')).length;
  report.outbound = requests.filter(request => !request.endsWith('/jwks'));
  return report;
}
