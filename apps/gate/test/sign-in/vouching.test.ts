import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { serve, type TestServer } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { type SmallIdp, startSmallIdp } from '../support/small-idp.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// A session lasts as long as its provider speaks for the person: not past a change of the provider behind its name.

const rules = [{ paths: ['/**'], allow: 'signed-in' }];
let upstream: Upstream;
let [first, second]: SmallIdp[] = [];
/** A source of metadata that has nothing to say. */
let silent: TestServer;
let gate: TestGate;

beforeAll(async () => {
  [upstream, first, second] = await Promise.all([startUpstream(), startSmallIdp(), startSmallIdp()]);
  silent = await serve((_request, response) => void response.writeHead(503).end());
  gate = await startGate({ upstream: upstream.origin, providers: [first.provider], rules }, { env: envOf(first) });
});

afterAll(async () => {
  for (const one of [gate, silent, second, first, upstream]) await one?.[Symbol.asyncDispose]();
});

const envOf = (idp: SmallIdp | undefined) => idp?.env ?? {};
const statusOf = async (provider: object, cookie: string) => {
  await gate.app.reload(gate.readConfig({ providers: [provider] }));
  return (await gate.fetch('/x', { headers: { cookie } })).status;
};

test('a SAML provider of another entity ID does not speak for the people of the old one; one that is down still does', async () => {
  const cookie = await sessionCookie(gate, first?.identity, first?.record);
  const of = (url: string, entityId?: string) => ({ ...first?.provider, metadata: { url }, ...(entityId ? { entityId } : {}) });
  const [old, other] = [`${first?.origin}/metadata`, `${second?.origin}/metadata`];
  expect(await statusOf(of(old), cookie)).toBe(200);
  expect(await statusOf(of(silent.origin), cookie)).toBe(200);
  expect(await statusOf(of(silent.origin, first?.entityId), cookie)).toBe(200);
  expect(await statusOf(of(other), cookie)).toBe(401);
  expect(await statusOf(of(silent.origin, second?.entityId), cookie)).toBe(401);
  // Its source has dropped it.
  expect(await statusOf(of(other, first?.entityId), cookie)).toBe(401);
  expect(await statusOf(of(old), cookie)).toBe(200);
});

test('does not let a SAML provider speak for an OpenID Connect provider of the same id', async () => {
  const cookie = await sessionCookie(gate, { provider: 'uni', issuer: 'https://op.example' });
  expect(await statusOf(first?.provider ?? {}, cookie)).toBe(401);
});

test("cuts a session's streams when its provider is switched off", async () => {
  const cookie = await sessionCookie(gate, first?.identity, first?.record);
  expect(await statusOf(first?.provider ?? {}, cookie)).toBe(200);
  const stream = await gate.fetch('/events', { headers: { cookie } });
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('data: one');
  expect(await statusOf({ ...first?.provider, enabled: false }, cookie)).toBe(401);
  const ended = async () => {
    for (;;) if ((await reader.read()).done) return;
  };
  await expect(ended()).rejects.toThrow();
});
