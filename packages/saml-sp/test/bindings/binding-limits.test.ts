import { describe, expect, test } from 'vitest';
import {
  formParameters,
  getSamlParameters,
  readParameters,
  readRelayState,
  toResponse,
} from '../../src/bindings/http-message.ts';
import { readIncoming } from '../../src/bindings/incoming-request.ts';
import { decodeBase64, renderPostForm } from '../../src/bindings/post-binding.ts';
import { readRedirectedMessage, renderRedirect } from '../../src/bindings/redirect-binding.ts';
import { PendingCookies } from '../../src/sign-in/pending-cookies.ts';
import { readReturnTo } from '../../src/values/return-to.ts';
import { testKey } from '../support/keys.ts';
import { redirected } from '../support/redirected.ts';
import { refusalIn } from '../support/refusal.ts';
import { buildResponse } from '../support/response.ts';
import { now, pending, postResponse } from '../support/world.ts';

// What comes by HTTP and what is sent, at each limit.

describe('where to go afterwards', () => {
  test.each(['/', '/a?b=c#d', `/${'a'.repeat(2047)}`])('%j', path => {
    expect(readReturnTo(path)).toBe(path);
  });

  test.each([
    '',
    'a',
    '//evil.example',
    '//here.invalid/x',
    'https://evil.example/',
    '/\\evil.example',
    `/${'a'.repeat(2048)}`,
    5,
    null,
    undefined,
    'x//',
    '/.//evil.example',
    '/..//evil.example',
    '/%2e//evil.example',
    '/a/..//evil.example',
  ])('refuses %j', value => {
    expect(() => readReturnTo(value as never)).toThrow(refusalIn('SAML_PARAMETER', /^returnTo: expected a path on this site/));
  });
});

describe('an answer of ours', () => {
  test('writes a redirect and a page, neither cached', async () => {
    const redirect = toResponse({ kind: 'redirect', url: 'https://idp.example.edu/' } as never, { 'x-a': '1' });
    expect([redirect.status, Object.fromEntries(redirect.headers)]).toEqual([
      303,
      { 'cache-control': 'no-store', location: 'https://idp.example.edu/', 'x-a': '1' },
    ]);
    const page = toResponse({ kind: 'post', html: '<p>', contentSecurityPolicy: "default-src 'none'" } as never);
    expect([page.status, Object.fromEntries(page.headers), await page.text()]).toEqual([
      200,
      {
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'",
      },
      '<p>',
    ]);
  });

  test('a redirect is signed in the order of the binding, by RSA or EC', () => {
    const message = { kind: 'SAMLRequest', xml: '<a/>', relayState: undefined, key: undefined } as const;
    const names = (url: string) => [...new URL(url).searchParams.keys()];
    const sent = (change: object, url = 'https://idp.example.edu/sso') => {
      const made = renderRedirect(url, { ...message, ...change } as never);
      return 'url' in made ? made.url : '';
    };
    expect(names(sent({}))).toEqual(['SAMLRequest']);
    expect(names(sent({ relayState: 'r', key: testKey('sp').privateKey }))).toEqual([
      'SAMLRequest',
      'RelayState',
      'SigAlg',
      'Signature',
    ]);
    const algorithm = (name: 'sp' | 'idp-ec') => new URL(sent({ key: testKey(name).privateKey })).searchParams.get('SigAlg');
    expect(algorithm('sp')).toBe('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256');
    expect(algorithm('idp-ec')).toBe('http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256');
    expect(
      Buffer.from(new URL(sent({ key: testKey('idp-ec').privateKey })).searchParams.get('Signature') ?? '', 'base64'),
    ).toHaveLength(64);
    expect(sent({}, 'https://idp.example.edu/sso?a=b')).toMatch(/^https:\/\/idp\.example\.edu\/sso\?a=b&SAMLRequest=/);
  });
});

describe('parameters', () => {
  test('as they were written and decoded', () => {
    expect(readParameters('a=1&&b&c=x+y%20z=')).toEqual([
      { name: 'a', value: '1', rawName: 'a', rawValue: '1' },
      { name: 'b', value: '', rawName: 'b', rawValue: '' },
      { name: 'c', value: 'x y z=', rawName: 'c', rawValue: 'x+y%20z=' },
    ]);
    expect(() => readParameters('a=%')).toThrow(
      expect.objectContaining({ code: 'SAML_PARAMETER', cause: expect.any(Error) as Error }),
    );
  });

  test('limits a RelayState that another party made', () => {
    const most = 4096;
    expect(readRelayState('r'.repeat(most))).toHaveLength(most);
    expect(() => readRelayState('r'.repeat(most + 1))).toThrow(
      refusalIn('SAML_RELAY_STATE', new RegExp(`more than ${most} characters`)),
    );
    expect(readRelayState(undefined)).toBeUndefined();
  });
});

describe('a request is read', () => {
  const url = 'https://sp.example.org/acs?a=b#c';

  test('from an address, a platform request, or its parts', async () => {
    const get = { method: 'GET', query: 'a=b', body: '', contentType: undefined };
    expect(await readIncoming(url, 10)).toMatchObject({ ...get, reparsed: false });
    expect(await readIncoming(new URL(url), 10)).toMatchObject({ ...get, reparsed: true });
    expect(await readIncoming(new Request(url), 10)).toMatchObject({ method: 'GET', query: 'a=b', body: '' });
    expect(await readIncoming({ method: 'GET', url: '/acs' } as never, 10)).toMatchObject({
      query: '',
      body: '',
      reparsed: false,
    });
    expect(await readIncoming({ method: 'GET', url: '/acs?', body: null } as never, 10)).toMatchObject({ query: '', body: '' });
    const post = new Request(url, { method: 'POST', body: '1234567890' });
    expect(await readIncoming(post, 10)).toMatchObject({ method: 'POST', body: '1234567890' });
  });

  test('refuses a body that is too long, already read, or not UTF-8', async () => {
    const post = (body: BodyInit) => new Request(url, { method: 'POST', body });
    await expect(readIncoming(post('12345678901'), 10)).rejects.toThrow(
      refusalIn('SAML_MESSAGE_TOO_LARGE', /more than 10 bytes/),
    );
    await expect(readIncoming(post(new Uint8Array([255])), 10)).rejects.toThrow(refusalIn('SAML_XML_BYTES', /not UTF-8/));
    const used = post('1');
    await used.text();
    await expect(readIncoming(used, 10)).rejects.toThrow(refusalIn('SAML_CONFIG_INVALID', /was already read/));
  });

  test.each([[null], [5], [{}], [{ method: 'GET' }], [{ url: '/a' }], [{ method: 1, url: '/a' }], [{ method: 'GET', url: 1 }]])(
    'refuses %j',
    async given => {
      await expect(readIncoming(given as never, 10)).rejects.toThrow(
        refusalIn('SAML_CONFIG_INVALID', /^request: expected a Request/),
      );
    },
  );
});

describe('base64', () => {
  const wrong = ['', 'AAA', 'AAAAA', 'AA A', 'A-_A', '=AAA', 'A===', 'AA=A', 'AAAA====', 'AAA\u00c1'];

  test.each(wrong)('refuses %j in a form', text => {
    expect(() => decodeBase64(text, 100)).toThrow(refusalIn('SAML_ENCODING', /^the message is not base64$/));
  });

  test.each(wrong)('refuses %j in a query before inflating it', text => {
    const query = `SAMLRequest=${encodeURIComponent(text)}`;
    expect(() => readRedirectedMessage(redirected(query))).toThrow(refusalIn('SAML_ENCODING', /^SAMLRequest is not base64$/));
  });

  test("may have line breaks, but not exceed the message's limit", () => {
    expect(Buffer.from(decodeBase64('QU\r\nJD\n', 100)).toString()).toBe('ABC');
    expect(() => decodeBase64('A'.repeat(100 * 1.4 + 4097), 100)).toThrow(
      refusalIn('SAML_MESSAGE_TOO_LARGE', /larger than 100 bytes/),
    );
  });
});

describe('names that decide something', () => {
  test.each([['%53AMLRequest=a'], ['SAMLRequest%20=a'], ['samlrequest=a'], ['SAMLRequest%5B%5D=a']])(
    'refuses %j, which is not spelled exactly',
    query => {
      expect(() => getSamlParameters(readParameters(query))).toThrow(
        refusalIn('SAML_PARAMETER', /^a parameter that looks like SAMLRequest but is not$/),
      );
    },
  );

  test('refuses a field that is not one text if it matters, and otherwise treats it as empty', () => {
    const body = (name: string) => [[name, ['a', 'b']]] as never;
    expect(formParameters(body('other'))).toEqual([{ name: 'other', value: '', rawName: 'other', rawValue: '' }]);
    expect(() => formParameters(body('SAMLResponse'))).toThrow(
      refusalIn('SAML_PARAMETER', /^SAMLResponse does not have exactly one value$/),
    );
  });

  test('accepts a redirected message only by GET', () => {
    const http = { method: 'PUT', query: 'SAMLResponse=AAAA', contentType: undefined, body: '', reparsed: false };
    expect(() => readRedirectedMessage(http as never)).toThrow(
      refusalIn('SAML_HTTP_METHOD', /^a redirected message must come by GET$/),
    );
  });
});

test('escapes form fields for HTML', () => {
  const special = `"<'>&`;
  const written = '&#34;&#60;&#39;&#62;&#38;';
  const { html } = renderPostForm(`https://idp.example.edu/?a=${special}`, { RelayState: special }) as { html: string };
  expect(html).toContain(`action="https://idp.example.edu/?a=${written}"`);
  expect(html).toContain(`name="RelayState" value="${written}"`);
});

describe('cookies of sign-ins under way', () => {
  const create = (options: { secure?: boolean } = {}) =>
    new PendingCookies({ keys: ['a secret of thirty-two characters'], now: () => now, ...options });
  const keep = (relayState: string) =>
    create()
      .keep({ ...pending, relayState }, '')[0]
      ?.split(';', 1)[0] ?? '';
  const mine = keep(pending.relayState);

  test('opens the cookie of the tab that the answer belongs to', async () => {
    const both = `${keep('other')}; ${mine}`;
    expect((await create().takeSignIn(postResponse(buildResponse()), both)).pending).toEqual(pending);
  });

  test('opens none without RelayState', async () => {
    expect(await create().takeSignIn('/saml/acs?a=b', mine)).toEqual({ pending: undefined, clear: [] });
  });

  test('neither counts nor removes other cookies', () => {
    const lines = create().keep(pending, 'a=1; b=2; c=3; d=4; e=5; f=6');
    expect(lines).toHaveLength(1);
  });

  test('uses another name over plain http, on the same site', () => {
    expect(create({ secure: false }).keep(pending, '')).toEqual([
      expect.stringMatching(/^saml-[0-9a-f]{24}=[\w-]+; Path=\/; Max-Age=570; HttpOnly; SameSite=Lax$/),
    ]);
  });
});
