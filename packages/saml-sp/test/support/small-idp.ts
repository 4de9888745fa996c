import { verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { inflateRawSync } from 'node:zlib';
import type { IdentityProvider, IdentityProviderPolicy } from '../../src/idp/identity-provider.ts';
import { readIdpMetadata } from '../../src/idp/idp-metadata.ts';
import { publicKeyOfCertificate } from '../../src/keys/key-material.ts';
import { verifyEnvelopedSignature } from '../../src/keys/signature.ts';
import { bindings, ns } from '../../src/xml/names.ts';
import { parseUntrusted } from '../../src/xml/xml.ts';
import { readBody, serve, type TestServer } from './http-server.ts';
import { endpoint, entity, keyDescriptor } from './idp-metadata-fixture.ts';
import { testKey } from './keys.ts';
import { redirectQuery } from './logout-fixture.ts';
import { buildResponse, type ResponseRecipe } from './response.ts';
import { now as fixtureNow, sp as fixtureSp, idp as names } from './world.ts';

/** A small identity provider that needs nothing but npm: honest, until it is told to misbehave. */
export interface SmallIdp extends TestServer {
  entityId: string;
  /** What it does wrong from now on; `{}` is honest. */
  misbehave: ResponseRecipe;
  /** Never answers a logout when true. */
  silent: boolean;
  /** Where it sends LogoutResponses. */
  logoutAddress: string;
  /** Status of its LogoutResponses. */
  logoutStatus: string;
  /** Requests that it saw, already verified against the service provider's key. */
  seen: string[];
  metadata(): string;
  known(policy?: Partial<IdentityProviderPolicy>): IdentityProvider;
}

const instant = /2026-11-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** Fixtures live on one day; an identity provider that is met for real lives now. */
const shifted = (xml: string): string =>
  xml.replace(instant, text =>
    new Date(Date.now() + new Date(text).getTime() - fixtureNow.getTime()).toISOString().replace(/\.\d+Z/, 'Z'),
  );

const attribute = (xml: string, name: string): string => new RegExp(`\\s${name}="([^"]*)"`).exec(xml)?.[1] ?? '';
const form = (url: string, fields: Record<string, string>): string =>
  `<!doctype html><form method="post" action="${url}">${Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${value.replace(/"/g, '&quot;')}">`)
    .join('')}<button>Sign in</button></form><script>document.forms[0].submit()</script>`;

/** Checks the signature over the query with the service provider's key: an independent reading of the binding. */
function requireSignedQuery(query: string): void {
  const signed = query.slice(0, query.indexOf('&Signature='));
  const value = new URLSearchParams(query).get('Signature') ?? '';
  if (!verify('sha256', Buffer.from(signed), publicKeyOfCertificate(testKey('sp').certificate), Buffer.from(value, 'base64'))) {
    throw new Error('the request is not signed by the service provider');
  }
}

function readRequest(request: IncomingMessage, body: string): { xml: string; relayState: string } {
  const query = (request.url ?? '').split('?')[1] ?? '';
  const parameters = new URLSearchParams(request.method === 'POST' ? body : query);
  const packed = Buffer.from(parameters.get('SAMLRequest') ?? parameters.get('SAMLResponse') ?? '', 'base64');
  if (request.method !== 'POST') {
    requireSignedQuery(query);
    return { xml: inflateRawSync(packed).toString(), relayState: parameters.get('RelayState') ?? '' };
  }
  using document = parseUntrusted(packed);
  using verified = verifyEnvelopedSignature(document.root, {
    keys: [publicKeyOfCertificate(testKey('sp').certificate)],
    allowSha1: false,
  });
  if (verified === undefined) throw new Error('the request is not signed');
  return { xml: packed.toString(), relayState: parameters.get('RelayState') ?? '' };
}

/** A Response to this very request, by a recipe. */
function answer(idp: SmallIdp, request: string): string {
  const acs = attribute(request, 'AssertionConsumerServiceURL');
  const spId = /<saml:Issuer[^>]*>([^<]*)/.exec(request)?.[1] ?? '';
  const adapt = (xml: string): string =>
    shifted(xml)
      .replaceAll(fixtureSp.acs, acs)
      .replaceAll(`>${fixtureSp.entityId}<`, `>${spId}<`)
      .replaceAll(names.entityId, idp.entityId)
      .replaceAll('"_request1"', `"${attribute(request, 'ID')}"`)
      .replaceAll('"_assertion1"', `"_a${crypto.randomUUID()}"`)
      .replaceAll('"_response1"', `"_r${crypto.randomUUID()}"`);
  /** The assertion in it is signed by now: only what stands around it may still change. */
  const adaptEnvelope = (xml: string): string => {
    const at = xml.search(/<saml:(?:Encrypted)?Assertion /);
    return at === -1 ? adapt(xml) : adapt(xml.slice(0, at)) + xml.slice(at);
  };
  const { assertion = same, response = same, ...rest } = idp.misbehave;
  return String(
    buildResponse({ ...rest, assertion: xml => adapt(assertion(xml)), response: xml => adaptEnvelope(response(xml)) }),
  );
}

const same = (xml: string): string => xml;

function answerLogout(idp: SmallIdp, request: string, slo: string): string {
  return shifted(
    `<samlp:LogoutResponse xmlns:samlp="${ns.samlp}" xmlns:saml="${ns.saml}" ID="_l${crypto.randomUUID()}" Version="2.0" IssueInstant="${fixtureNow.toISOString()}"` +
      ` Destination="${slo}" InResponseTo="${attribute(request, 'ID')}"><saml:Issuer>${idp.entityId}</saml:Issuer>` +
      `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${idp.logoutStatus}"/></samlp:Status></samlp:LogoutResponse>`,
  );
}

async function handle(idp: SmallIdp, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').split('?')[0];
  const body = await readBody(request);
  if (path === '/metadata') {
    response.setHeader('content-type', 'application/samlmetadata+xml').end(idp.metadata());
    return;
  }
  const { xml, relayState } = readRequest(request, body);
  idp.seen.push(xml);
  response.setHeader('content-type', 'text/html');
  if (path === '/sso') {
    const fields = { SAMLResponse: Buffer.from(answer(idp, xml)).toString('base64'), RelayState: relayState };
    response.end(form(attribute(xml, 'AssertionConsumerServiceURL'), fields));
    return;
  }
  if (idp.silent) return;
  if (xml.includes('LogoutResponse')) {
    response.end('signed out');
    return;
  }
  const slo = idp.logoutAddress;
  response.writeHead(302, { location: `${slo}?${redirectQuery(answerLogout(idp, xml, slo), { relayState })}` }).end();
}

/** Starts one. `await using` ends it. */
export async function startSmallIdp(): Promise<SmallIdp> {
  let idp: SmallIdp | undefined;
  const server = await serve(async (request, response) => {
    if (idp !== undefined) await handle(idp, request, response);
  });
  const entityId = `${server.origin}/metadata`;
  const both = (name: string, path: string) =>
    [bindings.redirect, bindings.post].map(binding => endpoint(name, server.origin + path, binding)).join('');
  const made: SmallIdp = {
    ...server,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
    entityId,
    misbehave: {},
    silent: false,
    logoutAddress: fixtureSp.slo,
    logoutStatus: 'Success',
    seen: [],
    metadata: () =>
      entity(
        { keys: keyDescriptor('idp'), sso: both('SingleSignOnService', '/sso'), slo: both('SingleLogoutService', '/slo') },
        entityId,
      ),
    known: policy => readIdpMetadata(made.metadata(), { policy: policy ?? {} })[0] as IdentityProvider,
  };
  idp = made;
  return made;
}

/** A signed LogoutRequest of this provider to a service provider's address, as a query. */
export function logoutQuery(
  idp: SmallIdp,
  slo: string,
  nameId: string,
  options: { sessionIndex?: string; key?: 'idp' | 'attacker' } = {},
): string {
  const index = options.sessionIndex === undefined ? '' : `<samlp:SessionIndex>${options.sessionIndex}</samlp:SessionIndex>`;
  const xml = shifted(
    `<samlp:LogoutRequest xmlns:samlp="${ns.samlp}" xmlns:saml="${ns.saml}" ID="_q${crypto.randomUUID()}" Version="2.0" IssueInstant="${fixtureNow.toISOString()}" Destination="${slo}">` +
      `<saml:Issuer>${idp.entityId}</saml:Issuer><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">${nameId}</saml:NameID>${index}</samlp:LogoutRequest>`,
  );
  return redirectQuery(xml, { key: options.key ?? 'idp', relayState: 'of the provider' });
}
