import {
  directoryOf,
  MemoryReplayStore,
  type NameId,
  nameIdFormats,
  type OutgoingMessage,
  readIdpMetadata,
  ServiceProvider,
} from '@octavo/saml-sp';
import type { Identity } from '../../src/model/identity.ts';
import { serve, type TestServer } from './servers.ts';
import { certificateData, createKeyPair } from './simplesamlphp.ts';

const bindings = 'urn:oasis:names:tc:SAML:2.0:bindings';
const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol';

const endpoint = (name: string, binding: string, location: string) =>
  `<${name} Binding="${bindings}:${binding}" Location="${location}"/>`;
const keyOf = (pair: { certificate: string }) =>
  `<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${certificateData(pair.certificate)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`;
const metadataOf = (entityId: string, pair: { certificate: string }, endpoints: string) =>
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"><IDPSSODescriptor protocolSupportEnumeration="${protocol}" errorURL="${entityId}/help?code=ERRORURL_CODE&amp;rp=ERRORURL_RP"><Extensions><Scope xmlns="urn:mace:shibboleth:metadata:1.0" regexp="false">example.com</Scope></Extensions>${keyOf(pair)}${endpoints}</IDPSSODescriptor></EntityDescriptor>`;

export const alice: NameId = {
  value: 'alice@example.com',
  format: nameIdFormats.emailAddress,
  nameQualifier: undefined,
  spNameQualifier: undefined,
  spProvidedId: undefined,
};

export interface LogoutMessage {
  readonly xml: string;
  readonly fields: Readonly<Record<string, string>>;
  /** By redirect: where to. */
  readonly url: string;
}

/** How a LogoutRequest comes. */
export interface LogoutHow {
  readonly binding?: 'HTTP-POST' | 'HTTP-Redirect';
  readonly isStranger?: boolean;
  /** By how much the provider's clock is ahead of the gate's. */
  readonly aheadSeconds?: number;
}

export interface SmallIdp extends TestServer {
  readonly entityId: string;
  /** Forms that came back to the provider. */
  readonly received: URLSearchParams[];
  /** What its page for sign-ins shows, if it has one. */
  readonly pages: { signIn?: (query: URLSearchParams) => string };
  /** How a gate is told of it, and the variables that go along. */
  readonly provider: Record<string, unknown>;
  readonly env: Record<string, string>;
  /** Who Alice is at the gate after she signed in here, and what her session keeps. */
  readonly identity: Partial<Identity>;
  readonly record: { readonly nameId: NameId; readonly sessionIndex: string };
  /** A LogoutRequest about Alice for the gate of this origin. */
  logoutRequest(origin: string, how?: LogoutHow): Promise<LogoutMessage>;
  /** The answer to the gate's own LogoutRequest, which came as a form with these fields. */
  logoutResponse(
    origin: string,
    fields: URLSearchParams,
    outcome: 'complete' | 'failed',
    how?: LogoutHow,
  ): Promise<LogoutMessage>;
}

/** The keys of every such provider in this process: creating them takes longer than most tests. */
type KeyPair = ReturnType<typeof createKeyPair>;
let keys: KeyPair[] | undefined;

/** A SAML identity provider that signs people out by every binding. It is our own package in the provider's place: its LogoutRequest is the same message. */
/** @param signInBinding how it takes AuthnRequests */
export async function startSmallIdp(signInBinding: 'HTTP-Redirect' | 'HTTP-POST' = 'HTTP-Redirect'): Promise<SmallIdp> {
  keys ??= [createKeyPair(), createKeyPair(), createKeyPair()];
  const [idpKey, gateKey, strangerKey] = keys as [KeyPair, KeyPair, KeyPair];
  const received: URLSearchParams[] = [];
  const pages: SmallIdp['pages'] = {};
  const server = await serve(async (request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.url === '/metadata') {
      const endpoints =
        endpoint('SingleLogoutService', 'HTTP-POST', `${origin}/slo`) +
        endpoint('SingleSignOnService', signInBinding, `${origin}/sso`);
      response.setHeader('content-type', 'application/samlmetadata+xml').end(metadataOf(`${origin}/idp`, idpKey, endpoints));
      return;
    }
    if (request.method === 'GET' && request.url?.startsWith('/sso?') && pages.signIn !== undefined) {
      const { searchParams } = new URL(request.url, origin);
      response.setHeader('content-type', 'text/html').end(pages.signIn(searchParams));
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method === 'POST') received.push(new URLSearchParams(body));
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>IdP</title><h1>The identity provider</h1>');
  });
  const entityId = `${server.origin}/idp`;
  return Object.assign(server, {
    entityId,
    received,
    pages,
    provider: {
      id: 'uni',
      protocol: 'saml',
      name: 'University',
      metadata: { url: `${server.origin}/metadata` },
      keys: [{ privateKey: { env: 'SP_KEY' }, certificate: { env: 'SP_CRT' } }],
    },
    env: { SP_KEY: gateKey.privateKey, SP_CRT: gateKey.certificate },
    identity: { provider: 'uni', issuer: entityId, subject: JSON.stringify([alice.value, alice.format, null, null]) },
    record: { nameId: alice, sessionIndex: 'one' },
    async logoutRequest(origin: string, how: LogoutHow = {}) {
      const asProvider = asProviderFor(origin, how);
      const { send } = await asProvider.startSignOut(`${origin}/gate/uni/metadata`, { nameId: alice, sessionIndexes: [] });
      return messageOf(send, 'SAMLRequest');
    },
    async logoutResponse(origin: string, fields: URLSearchParams, outcome: 'complete' | 'failed', how: LogoutHow = {}) {
      const contentType = 'application/x-www-form-urlencoded';
      const found = await asProviderFor(origin, how).receiveLogout(
        { method: 'POST', url: `${server.origin}/slo`, contentType, body: fields.toString() },
        undefined,
      );
      if (found.kind !== 'request') throw new Error('this is no LogoutRequest');
      return messageOf(found.answer(outcome), 'SAMLResponse');
    },
  });

  /** Our own package in the provider's place. */
  function asProviderFor(
    origin: string,
    { binding = 'HTTP-POST', isStranger = false, aheadSeconds = 0 }: LogoutHow,
  ): ServiceProvider {
    const slo = `${origin}/gate/uni/slo`;
    const gateMetadata = metadataOf(
      `${origin}/gate/uni/metadata`,
      gateKey,
      endpoint('SingleLogoutService', binding, slo) + endpoint('SingleSignOnService', 'HTTP-POST', slo),
    );
    return new ServiceProvider({
      entityId,
      assertionConsumerServiceUrl: `${server.origin}/acs`,
      singleLogoutServiceUrl: `${server.origin}/slo`,
      signingKeys: [isStranger ? strangerKey : idpKey],
      identityProviders: directoryOf(readIdpMetadata(gateMetadata)),
      replayStore: new MemoryReplayStore(),
      now: () => new Date(Date.now() + aheadSeconds * 1000),
    });
  }
}

function messageOf(send: OutgoingMessage, name: 'SAMLRequest' | 'SAMLResponse'): LogoutMessage {
  const fields: Record<string, string> = send.kind === 'post' ? { ...send.fields } : {};
  return {
    xml: Buffer.from(fields[name] ?? '', 'base64').toString(),
    fields,
    url: send.kind === 'post' ? '' : String(send.url),
  };
}

/** As SOAP carries it. */
export function inEnvelope(xml: string): { headers: Record<string, string>; body: string } {
  const inner = xml.replace(/^<\?xml[^>]*\?>/, '');
  return {
    headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: '""' },
    body: `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>${inner}</soap:Body></soap:Envelope>`,
  };
}
