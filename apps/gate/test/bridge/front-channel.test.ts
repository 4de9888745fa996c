import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Application, applicationSecret, clientFor, Jar, signInAt, startApplication } from '../support/application.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

// A provider signs a person out through a frame: the applications behind the bridge are told too, some of them through frames in that frame.

let issuer: string;
let provider: SmallProvider;
let wiki: Application;
let board: Application;
let gate: TestGate;

beforeAll(async () => {
  const port = await freePort();
  issuer = `http://127.0.0.1:${port}/gate/oidc`;
  [provider, wiki, board] = await Promise.all([
    startSmallProvider(),
    startApplication(issuer, 'wiki'),
    startApplication(issuer, 'board'),
  ]);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const frame = { frontChannelLogoutUri: `${board.origin}/frame?x=1` };
  gate = await startGate(
    {
      providers: [
        corpProvider(provider),
        corpProvider(provider, { id: 'lab', name: 'Lab', clientId: 'lab', frontChannelSessionRequired: false }),
      ],
      rules: [{ paths: ['/**'], allow: 'signed-in' }],
      bridge: { keys: [{ env: 'BRIDGE_KEY' }], clients: [clientFor(wiki, 'wiki'), clientFor(board, 'board', frame)] },
    },
    {
      port,
      env: {
        BRIDGE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
        APPLICATION_SECRET: applicationSecret,
      },
    },
  );
});

beforeEach(() => {
  wiki.signedOut.length = 0;
});

afterAll(async () => {
  for (const one of [gate, provider, wiki, board]) await one?.[Symbol.asyncDispose]();
});

/** A person who signed in at this provider, and uses the application. @returns the cookie, and the session's name at the application */
async function person(id: 'corp' | 'lab', application: Application, sid: string): Promise<{ cookie: string; sid: string }> {
  const jar = new Jar();
  const who = { provider: id, issuer: provider.issuer, subject: crypto.randomUUID() };
  const cookie = await sessionCookie(gate, who, {}, undefined, sid);
  const [name = '', value = ''] = cookie.split('=');
  jar.cookies.set(name, value);
  const signIn = await signInAt(application, jar);
  return { cookie, sid: String(decodeJwt(signIn.tokens.idToken ?? '').sid) };
}

const frame = (id: string, query: Record<string, string>, cookie = '') =>
  gate.fetch(`/gate/${id}/frontchannel-logout?${new URLSearchParams(query)}`, { headers: { cookie } });

test.each([
  ['names it', 'corp', true],
  ['names none, but has its cookie', 'lab', false],
] as const)('a frame that %s tells the applications of that session', async (_name, id, isNamed) => {
  const named = (sid: string): Record<string, string> => (isNamed ? { iss: provider.issuer, sid } : {});
  const atWiki = await person(id, wiki, `${id} one`);
  const told = await frame(id, named(`${id} one`), atWiki.cookie);
  expect([told.status, await told.text()]).toEqual([200, 'Signed out.\n']);
  await expect.poll(() => wiki.signedOut).toEqual([atWiki.sid]);

  const atBoard = await person(id, board, `${id} two`);
  const answer = await frame(id, named(`${id} two`), atBoard.cookie);
  const address = `${board.origin}/frame?x=1&iss=${encodeURIComponent(issuer)}&sid=${atBoard.sid}`;
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('x-frame-options')]).toEqual([
    200,
    'text/html; charset=utf-8',
    null,
  ]);
  const html = await answer.text();
  expect([...html.matchAll(/<iframe[^>]* src="([^"]*)"/g)].map(([, url]) => url?.replaceAll('&amp;', '&'))).toEqual([address]);
  expect(answer.headers.get('content-security-policy')).toBe(
    `default-src 'none'; frame-ancestors ${provider.issuer}; frame-src ${board.origin}`,
  );
  // Once: the session is over.
  expect(await (await frame(id, { iss: provider.issuer, sid: `${id} two` })).text()).toBe('Signed out.\n');
});
