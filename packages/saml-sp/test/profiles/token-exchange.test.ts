import { describe, expect, test } from 'vitest';
import { renderAssertionGrant, saml2BearerClientAssertion, tokenErrorOf } from '../../src/tokens/token-exchange.ts';
import { codeOf } from '../support/refusal.ts';
import { buildAssertion, type ResponseRecipe, validPieces } from '../support/response.ts';
import { at, createServiceProvider, sp } from '../support/world.ts';

const endpoint = { url: 'https://as.example.org/token', audiences: ['https://as.example.org'] };
const confirmationData = `<saml:SubjectConfirmationData NotOnOrAfter="${at(300)}" Recipient="${endpoint.url}"/>`;
const audience = (name: string) => `<saml:AudienceRestriction><saml:Audience>${name}</saml:Audience></saml:AudienceRestriction>`;
const build = (recipe: ResponseRecipe = {}) =>
  buildAssertion({
    sign: 'assertion',
    ...recipe,
    pieces: { confirmationData, audience: audience(endpoint.url), ...recipe.pieces },
  });

const outcomeOf = async (run: Promise<unknown>): Promise<string> => {
  try {
    await run;
    return 'accepted';
  } catch (error) {
    return codeOf(error);
  }
};
const grant = (xml: string, provider = createServiceProvider()) =>
  provider.verifyAssertionGrant(endpoint, renderAssertionGrant(xml, { scope: 'notes' }));

describe('an assertion as authorization grant (RFC 7522 2.1, 3)', () => {
  test('reads the subject and scope of a valid one', async () => {
    expect(await grant(build())).toMatchObject({
      nameId: { value: 'alice' },
      scope: 'notes',
      issuer: 'https://idp.example.edu/metadata',
    });
    expect(await grant(build({ pieces: { audience: audience('https://as.example.org') } }))).toMatchObject({
      nameId: { value: 'alice' },
    });
    expect(await grant(build({ pieces: { authn: '' } }))).toMatchObject({ authentication: undefined });
  });

  test('the body is base64url without line breaks or padding', () => {
    const body = new URLSearchParams(renderAssertionGrant(build(), { scope: 's', clientId: 'c' }));
    expect(body.get('assertion')).toMatch(/^[A-Za-z0-9_-]+$/);
    expect([body.get('grant_type'), body.get('scope'), body.get('client_id')]).toEqual([
      'urn:ietf:params:oauth:grant-type:saml2-bearer',
      's',
      'c',
    ]);
  });

  test.each<[string, string, ResponseRecipe]>([
    ['the Recipient of a sign-in', 'SAML_RECIPIENT', { pieces: { confirmationData: validPieces.confirmationData } }],
    ['the Audience of a sign-in', 'SAML_AUDIENCE', { pieces: { audience: audience(sp.entityId) } }],
    ['no Audience', 'SAML_AUDIENCE', { pieces: { audience: '' } }],
    [
      'Recipient the issuer instead of the address',
      'SAML_RECIPIENT',
      { pieces: { confirmationData: confirmationData.replace('/token', '') } },
    ],
    ['expired', 'SAML_EXPIRED', { pieces: { confirmationData: confirmationData.replace(at(300), at(-61)) } }],
    [
      'no NotOnOrAfter',
      'SAML_SUBJECT_CONFIRMATION',
      { pieces: { confirmationData: confirmationData.replace(/ NotOnOrAfter="[^"]*"/, '') } },
    ],
    [
      'bound to a request',
      'SAML_IN_RESPONSE_TO',
      { pieces: { confirmationData: confirmationData.replace('/>', ' InResponseTo="_request1"/>') } },
    ],
    ['holder-of-key', 'SAML_SUBJECT_CONFIRMATION', { assertion: xml => xml.replace('cm:bearer', 'cm:holder-of-key') }],
    ['unsigned', 'SAML_SIGNATURE_MISSING', { sign: 'none' }],
    ['by the attacker', 'SAML_SIGNATURE_INVALID', { signAssertion: { key: 'attacker' } }],
    ['an unknown issuer', 'SAML_UNKNOWN_IDP', { assertion: xml => xml.replace('idp.example.edu', 'nobody.example') }],
    ['no NameID', 'SAML_SUBJECT', { assertion: xml => xml.replace(/<saml:NameID.*<\/saml:NameID>/, '') }],
  ])('%s: %s, told as invalid_grant', async (_name, code, recipe) => {
    const run = grant(build(recipe));
    expect(await outcomeOf(run)).toBe(code);
    expect(tokenErrorOf(await run.catch(error => error))).toMatchObject({
      error: 'invalid_grant',
      error_description: expect.stringContaining(code),
    });
  });

  test('refuses the same assertion twice: SAML_REPLAYED', async () => {
    const provider = createServiceProvider();
    const xml = build();
    await grant(xml, provider);
    expect(await outcomeOf(grant(xml, provider))).toBe('SAML_REPLAYED');
  });

  const form = (change: (body: URLSearchParams) => void): string => {
    const body = new URLSearchParams(renderAssertionGrant(build()));
    change(body);
    return body.toString();
  };
  test.each([
    ['another grant type', form(body => body.set('grant_type', 'password')), 'SAML_GRANT', 'unsupported_grant_type'],
    ['two assertions', form(body => body.append('assertion', 'x')), 'SAML_PARAMETER', 'invalid_request'],
    ['no assertion', form(body => body.delete('assertion')), 'SAML_PARAMETER', 'invalid_request'],
    ['an empty assertion', form(body => body.set('assertion', '')), 'SAML_PARAMETER', 'invalid_request'],
    ['no grant type', form(body => body.delete('grant_type')), 'SAML_PARAMETER', 'invalid_request'],
    ['an assertion of padding', form(body => body.set('assertion', '==')), 'SAML_ENCODING', 'invalid_grant'],
    [
      'plain base64',
      form(body => body.set('assertion', `${Buffer.from(build()).toString('base64')}+/`)),
      'SAML_ENCODING',
      'invalid_grant',
    ],
    [
      'line breaks',
      form(body => body.set('assertion', (body.get('assertion') ?? '').replace(/.{76}/g, '$&\n'))),
      'SAML_ENCODING',
      'invalid_grant',
    ],
    ['too large', form(body => body.set('assertion', 'A'.repeat(1_000_000))), 'SAML_MESSAGE_TOO_LARGE', 'invalid_grant'],
  ])('%s', async (_name, body, code, error) => {
    const run = createServiceProvider().verifyAssertionGrant(endpoint, body);
    expect(await outcomeOf(run)).toBe(code);
    expect(tokenErrorOf(await run.catch(thrown => thrown)).error).toBe(error);
  });
});

describe('an assertion that authenticates a client (RFC 7522 2.2)', () => {
  const client = (change: (body: URLSearchParams) => void = () => {}) => {
    const body = new URLSearchParams({
      client_assertion_type: saml2BearerClientAssertion,
      client_assertion: Buffer.from(build()).toString('base64url'),
    });
    change(body);
    return createServiceProvider().verifyClientAssertion(endpoint, body.toString());
  };

  test('the subject is the client', async () => {
    expect(await client(body => body.set('client_id', 'alice'))).toMatchObject({ nameId: { value: 'alice' } });
    expect(await client()).toMatchObject({ nameId: { value: 'alice' } });
  });

  test('another client_id, another type', async () => {
    const other = client(body => body.set('client_id', 'bob'));
    expect(await outcomeOf(other)).toBe('SAML_GRANT');
    expect(tokenErrorOf(await other.catch(error => error), 'client').error).toBe('invalid_client');
    expect(await outcomeOf(client(body => body.set('client_assertion_type', 'urn:x')))).toBe('SAML_GRANT');
  });

  test('a refusal for its client_id uses nothing up: the right one may still come', async () => {
    const provider = createServiceProvider();
    const body = new URLSearchParams({
      client_assertion_type: saml2BearerClientAssertion,
      client_assertion: Buffer.from(build()).toString('base64url'),
      client_id: 'bob',
    });
    const ask = () => outcomeOf(provider.verifyClientAssertion(endpoint, body.toString()));
    expect(await ask()).toBe('SAML_GRANT');
    body.set('client_id', 'alice');
    expect(await ask()).toBe('accepted');
    expect(await ask()).toBe('SAML_REPLAYED');
  });
});
