import { expect } from 'vitest';
import type { SignInRequest } from '../../src/index.ts';
import { OidcError, type OidcErrorCode, type RelyingParty, type RelyingPartyOptions, type SignIn } from '../../src/index.ts';
import { FakeOp, type Faults } from './fake-op.ts';

/** How the relying party is set up and what it asks. */
export interface Setting {
  alg?: string;
  options?: Partial<RelyingPartyOptions>;
  request?: SignInRequest;
}

/** A whole sign-in, from the start to the checked ID Token. */
export async function signInAt(
  op: FakeOp,
  setting: Setting = {},
  rp: RelyingParty = op.relyingParty(setting.options),
): Promise<SignIn> {
  const { url, pending } = await rp.startSignIn(setting.request);
  return rp.finishSignIn(op.authorize(url), pending);
}

/** The error that the work ends with; fails when it does not. */
export async function errorOf(work: Promise<unknown>): Promise<OidcError> {
  const outcome = await work.then(
    () => 'it was accepted',
    error => error,
  );
  expect(outcome, 'an OidcError').toBeInstanceOf(OidcError);
  // Every refusal names the check, and where it says what was wanted it says something.
  expect(outcome.check).toMatch(/^[a-z][a-z0-9_]*(\.|$)/i);
  expect(outcome.expected).not.toBe('');
  return outcome;
}

/**
 * Checks that a provider with this one fault is refused with this code, that without the fault it is accepted, and that
 * nobody else was called meanwhile.
 */
export async function expectRefused(
  code: OidcErrorCode,
  faults: Faults,
  setting: Setting = {},
  honest: Faults = {},
): Promise<OidcError> {
  const op = await FakeOp.start(setting.alg);
  op.faults = honest;
  await signInAt(op, setting);
  op.faults = { ...honest, ...faults };
  const error = await errorOf(signInAt(op, setting));
  expect(error.code).toBe(code);
  expect(op.strangers).toEqual([]);
  return error;
}

/** As {@link expectRefused}, for a token whose claims are changed. */
export function expectClaimsRefused(
  code: OidcErrorCode,
  changes: Record<string, unknown>,
  setting: Setting = {},
): Promise<OidcError> {
  return expectRefused(code, { idTokenClaims: claims => without({ ...claims, ...changes }) }, setting);
}

/** As {@link expectRefused}, for a token whose header is changed. */
export function expectHeaderRefused(
  code: OidcErrorCode,
  changes: Record<string, unknown>,
  setting: Setting = {},
): Promise<OidcError> {
  return expectRefused(code, { idTokenHeader: header => without({ ...header, ...changes }) }, setting);
}

/** Leaves members out whose value is undefined. */
export function without(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** A logout token posted as the provider's server posts it. */
export function postLogout(token: string, url = 'https://rp.example/backchannel'): Request {
  return new Request(url, { method: 'POST', body: new URLSearchParams({ logout_token: token }) });
}

/** Checks that a logout token with this one fault is refused and ends nothing, while an honest one is taken. */
export async function expectLogoutRefused(
  code: OidcErrorCode,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
  options: Partial<RelyingPartyOptions> = {},
): Promise<void> {
  const op = await FakeOp.start();
  const rp = op.relyingParty(options);
  const ended: unknown[] = [];
  const post = async (token: string) => rp.answerBackChannelLogout(postLogout(token), logout => void ended.push(logout));
  expect((await post(await op.logoutToken())).status).toBe(200);
  const response = await post(
    await op.sign(without({ ...logoutClaims(op), ...claims }), without({ typ: 'logout+jwt', ...header })),
  );
  expect(response.status).toBe(400);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toMatchObject({ error_description: code });
  expect(ended).toHaveLength(1);
  expect(op.strangers).toEqual([]);
}

function logoutClaims(op: FakeOp): Record<string, unknown> {
  return op.claims({ jti: 'another', sid: 'session-1', events: { 'http://schemas.openid.net/event/backchannel-logout': {} } });
}

/** Checks that UserInfo of this kind is discarded, while an honest answer is taken. */
export async function expectUserInfoRefused(
  code: OidcErrorCode,
  userInfo: Faults['userInfo'],
  options: Partial<RelyingPartyOptions> = {},
  honest: Faults = {},
) {
  const op = await FakeOp.start();
  op.faults = honest;
  const rp = op.relyingParty(options);
  const signIn = await signInAt(op, {}, rp);
  expect((await rp.fetchUserInfo(signIn)).sub).toBe(op.subject);
  op.faults = { ...honest, ...(userInfo && { userInfo }) };
  const error = await errorOf(rp.fetchUserInfo(signIn));
  expect(error.code).toBe(code);
  return error;
}
