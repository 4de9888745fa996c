import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { serve, type TestServer } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { type SmallIdp, startSmallIdp } from '../support/small-idp.ts';

// Where the metadata describes several providers, help is offered by the one that people sign in at, and by none while nobody said which.

let [first, second]: SmallIdp[] = [];
let federation: TestServer;
let gate: TestGate;

beforeAll(async () => {
  [first, second] = await Promise.all([startSmallIdp(), startSmallIdp()]);
  const entities = await Promise.all([first, second].map(async idp => (await fetch(`${idp?.origin}/metadata`)).text()));
  const xml = `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${entities.join('')}</EntitiesDescriptor>`;
  federation = await serve((_request, response) => void response.setHeader('content-type', 'text/xml').end(xml));
  const rules = [{ paths: ['/**'], allow: { provider: 'uni', groups: ['board'] } }];
  gate = await startGate({ providers: [at(second?.entityId)], rules }, { env: first?.env ?? {} });
});

afterAll(async () => {
  for (const one of [gate, federation, second, first]) await one?.[Symbol.asyncDispose]();
});

const at = (entityId: string | undefined) => ({
  ...first?.provider,
  metadata: { url: federation.origin },
  ...(entityId === undefined ? {} : { entityId }),
});
const html = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };

test("links to the chosen provider's help", async () => {
  const cookie = await sessionCookie(gate, second?.identity, second?.record);
  const page = await (await gate.fetch('/x', { headers: { ...html, cookie } })).text();
  expect(page).toContain(`href="${second?.entityId}/help?code=AUTHORIZATION_FAILURE`);
  expect(page).not.toContain(first?.entityId);
});

test('links to no help while none of several providers is chosen', async () => {
  await gate.app.reload(gate.readConfig({ providers: [at(undefined)] }));
  const answer = await gate.fetch('/gate/sign-in?provider=uni', { headers: html });
  const page = await answer.text();
  expect([answer.status, page]).toEqual([403, expect.stringContaining('SAML_UNKNOWN_IDP')]);
  expect(page).not.toContain('Get help');
});
