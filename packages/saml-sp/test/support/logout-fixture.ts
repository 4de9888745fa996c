import { sign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { IncomingRequest } from '../../src/bindings/incoming-request.ts';
import type { SamlErrorCode } from '../../src/errors.ts';
import type { ReceivedLogoutRequest, ReceivedLogoutResponse } from '../../src/logout/logout.ts';
import type { ServiceProvider } from '../../src/service-provider.ts';
import type { PendingSignOut } from '../../src/sign-in/pending.ts';
import { ns } from '../../src/xml/names.ts';
import { changed } from './changed.ts';
import { type KeyName, testKey } from './keys.ts';
import { codeOf } from './refusal.ts';
import { type SignOptions, signElement } from './signer.ts';
import { at, createServiceProvider, idp, pendingLogout, sp } from './world.ts';

/** How a logout message is made. */
export interface LogoutRecipe {
  change?: (xml: string) => string;
  sign?: SignOptions | false;
  wire?: (xml: string) => string;
}

const issuer = `<saml:Issuer>${idp.entityId}</saml:Issuer>`;
const nameId = '<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">alice</saml:NameID>';
const namespaces = `xmlns:samlp="${ns.samlp}" xmlns:saml="${ns.saml}"`;

export const plainLogoutRequest =
  `<samlp:LogoutRequest ${namespaces} ID="_lr1" Version="2.0" IssueInstant="${at(-5)}" Destination="${sp.slo}" NotOnOrAfter="${at(120)}">` +
  `${issuer}${nameId}<samlp:SessionIndex>_session1</samlp:SessionIndex></samlp:LogoutRequest>`;

export const plainLogoutResponse =
  `<samlp:LogoutResponse ${namespaces} ID="_lresp1" Version="2.0" IssueInstant="${at(-5)}" Destination="${sp.slo}" InResponseTo="${pendingLogout.requestId}">` +
  `${issuer}<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status></samlp:LogoutResponse>`;

const idOf = (xml: string): string => /\sID="([^"]*)"/.exec(xml)?.[1] ?? '';

/** The finished text of a logout message, signed in the XML unless told otherwise. */
export function buildLogout(plain: string, recipe: LogoutRecipe = {}): string {
  const said = changed(recipe.change, plain);
  const signed = recipe.sign === false ? said : signElement(said, idOf(said), recipe.sign);
  return changed(recipe.wire, signed);
}

const kindOf = (xml: string): 'SAMLRequest' | 'SAMLResponse' =>
  /^\s*<\w+:LogoutRequest/.test(xml) ? 'SAMLRequest' : 'SAMLResponse';

export const postLogout = (xml: string, relayState?: string) => ({
  method: 'POST',
  url: '/saml/slo',
  contentType: 'application/x-www-form-urlencoded',
  body: `${kindOf(xml)}=${encodeURIComponent(Buffer.from(xml).toString('base64'))}${relayState === undefined ? '' : `&RelayState=${encodeURIComponent(relayState)}`}`,
});

/** A signed query, made with an encoder of choice, as other software writes them. */
export function redirectQuery(
  xml: string,
  options: { relayState?: string; key?: KeyName | false; sigAlg?: string; encode?: (text: string) => string } = {},
): string {
  const encode = options.encode ?? encodeURIComponent;
  let query = `${kindOf(xml)}=${encode(deflateRawSync(Buffer.from(xml)).toString('base64'))}`;
  if (options.relayState !== undefined) query += `&RelayState=${encode(options.relayState)}`;
  if (options.key === false) return query;
  query += `&SigAlg=${encode(options.sigAlg ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')}`;
  const hash = options.sigAlg?.endsWith('sha1') ? 'sha1' : 'sha256';
  return `${query}&Signature=${encode(sign(hash, Buffer.from(query), testKey(options.key ?? 'idp').privateKey).toString('base64'))}`;
}

export const redirectLogout = (query: string): IncomingRequest => ({ method: 'GET', url: `/saml/slo?${query}` });

/** What the service provider makes of it: the result, or the code of the refusal. */
export async function receive(
  http: IncomingRequest,
  options: { provider?: ServiceProvider; pending?: PendingSignOut | undefined } = {},
): Promise<ReceivedLogoutRequest | ReceivedLogoutResponse | SamlErrorCode> {
  const provider = options.provider ?? createServiceProvider();
  try {
    return await provider.receiveLogout(http, 'pending' in options ? options.pending : pendingLogout);
  } catch (error) {
    return codeOf(error);
  }
}
