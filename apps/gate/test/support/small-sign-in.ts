import type { TestGate } from './gate.ts';
import type { SmallProvider } from './small-provider.ts';

const page = { accept: 'text/html' };

/** The cookies that an answer sets, as the next request sends them. */
export const cookiesOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map(text => text.split(';')[0])
    .join('; ');

/** A sign-in under way: what the provider was asked, and the browser's cookies. */
export interface StartedSignIn {
  readonly authorize: URL;
  readonly cookie: string;
}

/** @param cookie which the browser has before */
export async function startSignIn(gate: TestGate, path = '/gate/sign-in?provider=corp', cookie = ''): Promise<StartedSignIn> {
  const answer = await gate.fetch(path, { headers: { ...page, cookie } });
  const cookies = [cookiesOf(answer), cookie].filter(Boolean);
  return { authorize: new URL(answer.headers.get('location') ?? ''), cookie: cookies.join('; ') };
}

/** An ID Token for `ada`, unless the claims say otherwise, that answers the request and is valid for five minutes. */
export function signIdToken(
  provider: SmallProvider,
  { authorize }: Pick<StartedSignIn, 'authorize'>,
  claims: object = {},
  aheadMs = 0,
): Promise<string> {
  const now = Math.floor((Date.now() + aheadMs) / 1000);
  const nonce = authorize.searchParams.get('nonce') ?? undefined;
  return provider.sign({ iss: provider.issuer, aud: 'gate', sub: 'ada', iat: now, exp: now + 300, nonce, ...claims } as never);
}

/** The browser comes back from the provider. */
export function comeBack(gate: TestGate, { authorize, cookie }: StartedSignIn): Promise<Response> {
  const state = authorize.searchParams.get('state') ?? '';
  return gate.fetch(`/gate/corp/callback?${new URLSearchParams({ code: 'c', state })}`, { headers: { ...page, cookie } });
}

export interface Told {
  /** In the ID Token. */
  readonly claims?: object;
  /** At the UserInfo endpoint, beside the subject; what it says stays as it is if absent. */
  readonly userInfo?: object;
  /** Beside the ID Token. */
  readonly tokens?: object;
  /** How far the gate's clock is ahead. */
  readonly aheadMs?: number;
}

/** The provider accepts the person, and the browser comes back. @returns the gate's answer */
export async function finishSignIn(
  { gate, provider }: { readonly gate: TestGate; readonly provider: SmallProvider },
  started: StartedSignIn,
  { claims = {}, userInfo, tokens = {}, aheadMs = 0 }: Told = {},
): Promise<Response> {
  const id_token = await signIdToken(provider, started, claims, aheadMs);
  provider.answers.token = async () => ({ status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token, ...tokens } });
  if (userInfo !== undefined) provider.answers.userInfo = { sub: 'ada', ...userInfo };
  return comeBack(gate, started);
}
