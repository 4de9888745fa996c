import type { FakeOp, Faults } from './fake-op.ts';
import { forge, forgeHmac, keptKey, type SigningKey, signingInput } from './forge.ts';

type Json = Record<string, unknown>;
type Changed = (claims: Json, op: FakeOp) => Json | string;

/** What a provider may answer, by name; the honest ones are among them. */
export type Answers = Record<string, (alg: string) => Faults>;

const claims = (change: Changed) => () =>
  ({ idToken: async ({ header, claims: honest, key, op }) => forge(header, change(honest, op), key) }) satisfies Faults;
const header = (change: (header: Json) => Json | string) => () => ({ idTokenHeader: change });
const set = (changes: Json) => claims(honest => ({ ...honest, ...changes }));
const without = (name: string) => claims(({ [name]: _, ...rest }) => rest);
const shifted = (name: string, seconds: number) => claims(honest => ({ ...honest, [name]: Number(honest.iat) + seconds }));
const callback = (change: (parameters: URLSearchParams) => void) => () => ({ callback: change });
const token = (change: (response: Json) => Json) => () => ({ token: change });
const raw = (change: (token: string, key: SigningKey) => Promise<string> | string) => () =>
  ({ idToken: async ({ header: head, claims: honest, key }) => change(await forge(head, honest, key), key) }) satisfies Faults;

/** 50 answers; each is given once per algorithm. */
export const answers: Answers = {
  honest: () => ({}),
  'unknown claims': set({ department: 'paper', email: 'a@b.example' }),
  'typ JWT': header(head => ({ ...head, typ: 'JWT' })),
  'iss of another': set({ iss: 'https://evil.example' }),
  'iss with a slash': set({ iss: 'https://op.example/' }),
  'iss missing': without('iss'),
  'sub missing': without('sub'),
  'sub a number': set({ sub: 7 }),
  'sub of 300 characters': set({ sub: 'a'.repeat(300) }),
  'sub not ASCII': set({ sub: 'jürgen' }),
  'aud of another': set({ aud: 'other' }),
  'aud a list with another, no azp': set({ aud: ['notes', 'other'] }),
  'aud a list with another, azp ours': set({ aud: ['notes', 'other'], azp: 'notes' }),
  'aud missing': without('aud'),
  'azp of another': set({ azp: 'other' }),
  'exp past': shifted('exp', -1),
  'exp text': set({ exp: '9999999999' }),
  'exp missing': without('exp'),
  'exp infinite': claims(honest => JSON.stringify(honest).replace(/"exp":\d+/, '"exp":1e400')),
  'iat missing': without('iat'),
  'iat in the future': shifted('iat', 3600),
  'nbf in the future': shifted('nbf', 3600),
  'nonce of another': set({ nonce: 'x' }),
  'nonce missing': without('nonce'),
  'auth_time text': set({ auth_time: 'yesterday' }),
  'auth_time in the future': shifted('auth_time', 3600),
  'at_hash of another': set({ at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }),
  'sid a number': set({ sid: 7 }),
  'member twice': claims(honest => JSON.stringify(honest).replace('{', '{"sub":"admin",')),
  'nested 100 deep': claims(honest => ({ ...honest, deep: JSON.parse('['.repeat(100) + ']'.repeat(100)) })),
  'typ of an access token': header(head => ({ ...head, typ: 'at+jwt' })),
  'typ of a logout token': header(head => ({ ...head, typ: 'logout+jwt' })),
  'crit unknown': header(head => ({ ...head, crit: ['x'], x: 1 })),
  'b64 false': header(head => ({ ...head, b64: false })),
  'kid unknown': header(head => ({ ...head, kid: 'invented' })),
  'kid missing': header(({ kid: _, ...head }) => head),
  'jku of another': header(head => ({ ...head, jku: 'https://evil.example/jwks' })),
  'alg none': () => ({ idToken: ({ header: head, claims: honest }) => `${signingInput({ ...head, alg: 'none' }, honest)}.` }),
  'HMAC with the client secret': () => ({
    idToken: ({ header: head, claims: honest, op }) =>
      forgeHmac({ ...head, alg: 'HS256' }, honest, new TextEncoder().encode(op.secret)),
  }),
  'foreign key': alg => ({
    idToken: async ({ header: head, claims: honest }) => forge(head, honest, await keptKey('stranger', alg)),
  }),
  'signature empty': raw(good => good.replace(/[^.]+$/, '')),
  'signature padded': raw(good => `${good}=`),
  'four parts': raw(good => `${good}.AAAA`),
  'state of another': callback(parameters => parameters.set('state', 'x')),
  'iss of another in the callback': callback(parameters => parameters.set('iss', 'https://evil.example')),
  'iss missing in the callback': callback(parameters => parameters.delete('iss')),
  'code twice': callback(parameters => parameters.append('code', 'x')),
  'code and error': callback(parameters => parameters.set('error', 'access_denied')),
  'token type DPoP': token(response => ({ ...response, token_type: 'DPoP' })),
  'no ID Token': token(({ id_token: _, ...response }) => response),
};

/** Each answer is given once with each of these. */
export const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
