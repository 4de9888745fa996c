import { nameIdFormats, type SamlIdentity, ServiceProvider } from '@octavo/saml-sp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { alice, inEnvelope, type SmallIdp, startSmallIdp } from '../support/small-idp.ts';

// SAML2Int lets a provider name its people by an attribute alone. What the package verifies is told here in its place.

let idp: SmallIdp;
let gate: TestGate;

beforeAll(async () => {
  idp = await startSmallIdp();
  const rules = [
    { paths: ['/staff/**'], allow: { provider: 'uni', groups: ['staff'] } },
    { paths: ['/**'], allow: 'signed-in' },
  ];
  gate = await startGate({ providers: [idp.provider], rules }, { env: idp.env });
});

afterAll(async () => {
  vi.restoreAllMocks();
  for (const one of [gate, idp]) await one?.[Symbol.asyncDispose]();
});

const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map(text => text.split(';')[0])
    .join('; ');

/** @returns the answer to an assertion that says this */
async function signIn(ids: Record<string, string>, nameId?: SamlIdentity['nameId']): Promise<Response> {
  const now = new Date();
  vi.spyOn(ServiceProvider.prototype, 'finishSignIn').mockResolvedValueOnce({
    issuer: idp.entityId,
    nameId,
    attributes: Object.entries(ids).map(([name, value]) => ({
      name: `urn:oasis:names:tc:SAML:attribute:${name}`,
      values: [value],
    })),
    authentication: { instant: now, sessionIndex: 'one' },
    issuedAt: now,
  } as unknown as SamlIdentity);
  const started = await gate.fetch('/gate/sign-in?provider=uni', { headers: { accept: 'text/html' } });
  const handle = new URL(started.headers.get('location') ?? '').searchParams.get('RelayState') ?? '';
  return gate.fetch('/gate/uni/acs', {
    method: 'POST',
    headers: { accept: 'text/html', cookie: cookiesOf(started) },
    body: new URLSearchParams({ RelayState: handle, SAMLResponse: 'x' }),
  });
}

/** To the errorURL of the provider's metadata, for a gate that has the address of its metadata as entity ID. */
const helpLink = (reason: string) => {
  const rp = encodeURIComponent(`${gate.origin}/gate/uni/metadata`);
  return `href="${idp.entityId}/help?code=${reason}&amp;rp=${rp}">Get help from University</a>`;
};

const subjectAt = async (cookie: string) => (await (await gate.fetch('/gate/me', { headers: { cookie } })).json()).subject;

describe('an assertion without NameID', () => {
  test.each([
    ['pairwise-id', { 'pairwise-id': 'P7@example.com' }, 'p7@example.com'],
    ['subject-id', { 'subject-id': 'alice@example.com' }, 'alice@example.com'],
    ['pairwise-id before subject-id', { 'subject-id': 'alice@example.com', 'pairwise-id': 'p7@example.com' }, 'p7@example.com'],
  ] as [string, Record<string, string>, string][])('signs in whom it names by %s', async (_name, ids, subject) => {
    const answer = await signIn(ids);
    expect(answer.status).toBe(303);
    expect(await subjectAt(cookiesOf(answer))).toBe(subject);
  });

  test.each([
    ['nothing', {}, 'SAML_SUBJECT'],
    ['an id in a scope that is not its provider’s', { 'subject-id': 'alice@elsewhere.example' }, 'SAML_SUBJECT_ID'],
  ] as [string, Record<string, string>, string][])('that names a person by %s is refused', async (_name, ids, code) => {
    const answer = await signIn(ids);
    const text = await answer.text();
    expect([answer.status, text]).toEqual([403, expect.stringContaining(code)]);
    expect(text).toContain(helpLink('IDENTIFICATION_FAILURE'));
  });

  test('ends here when the person signs out; a logout of the NameID with the same text ends another session', async () => {
    const [one, other] = [await signIn({ 'subject-id': alice.value }), await signIn({}, alice)].map(cookiesOf) as [
      string,
      string,
    ];
    const status = async (cookie: string) => (await gate.fetch('/gate/me', { headers: { cookie } })).status;
    const { xml } = await idp.logoutRequest(gate.origin);
    expect((await gate.fetch('/gate/uni/slo', { method: 'POST', ...inEnvelope(xml) })).status).toBe(200);
    expect([await status(one), await status(other)]).toEqual([200, 401]);
    const out = await gate.fetch('/gate/sign-out', { method: 'POST', headers: { cookie: one, origin: gate.origin } });
    expect([out.status, await status(one)]).toEqual([200, 401]);
  });
});

test('who lacks an attribute that a rule asks for is shown where the provider helps', async () => {
  const cookie = cookiesOf(await signIn({}, alice));
  const answer = await gate.fetch('/staff/list', { headers: { accept: 'text/html', cookie } });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([403, expect.stringContaining('Your account doesn’t have access to this address.')]);
  expect(text).toContain(helpLink('AUTHORIZATION_FAILURE'));
});

test('prefers a NameID to the attributes', async () => {
  const answer = await signIn({ 'pairwise-id': 'p7@example.com' }, { ...alice, value: 'bob', format: nameIdFormats.persistent });
  expect(await subjectAt(cookiesOf(answer))).toBe('bob');
});
