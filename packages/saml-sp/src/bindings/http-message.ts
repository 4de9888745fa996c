import { SamlError } from '../errors.ts';
import { either, holding, oneOf, readShape, text } from '../values/shape.ts';
import type { HttpMessage } from './incoming-request.ts';

/** A message that we send through the browser: a redirect, or a page with a form that submits itself. */
export type OutgoingMessage =
  | { kind: 'redirect'; url: string }
  | {
      kind: 'post';
      /** A whole HTML page. */
      html: string;
      /** Send it as that page's Content-Security-Policy header. */
      contentSecurityPolicy: string;
      /** Where the form posts to, and its fields: for clients that are not browsers. */
      url: string;
      fields: Record<string, string>;
    };

const messageReader = either(
  holding({ kind: oneOf('redirect'), url: text() }),
  holding({ kind: oneOf('post'), html: text(), contentSecurityPolicy: text() }),
  'a message to send, such as `send` of a sign-in that was started',
);

/**
 * The web `Response` that carries a message through the browser. It is never cached.
 * @example app.get('/sign-in', async () => toResponse((await sp.startSignIn(idp)).send));
 */
export function toResponse(message: OutgoingMessage, headers: HeadersInit = {}): Response {
  readShape(message, 'message', messageReader);
  const all = new Headers(headers);
  all.set('cache-control', 'no-store');
  if (message.kind === 'redirect') {
    all.set('location', message.url);
    return new Response(null, { status: 303, headers: all });
  }
  all.set('content-type', 'text/html; charset=utf-8');
  all.set('content-security-policy', message.contentSecurityPolicy);
  return new Response(message.html, { headers: all });
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new SamlError('SAML_PARAMETER', 'a parameter is not percent-encoded UTF-8', { cause });
  }
};

/** One `name=value` pair, as received and decoded. */
export interface Parameter {
  name: string;
  value: string;
  rawName: string;
  rawValue: string;
}

/**
 * Splits a query or form body only at `&` and keeps the bytes: the signature covers what was sent, not what it decodes to. One
 * parameter that is not percent-encoded UTF-8 refuses the whole, whatever its name: decoders disagree about what it is.
 */
export const readParameters = (text: string): Parameter[] =>
  text
    .split('&')
    .filter(pair => pair !== '')
    .map(pair => {
      const at = pair.indexOf('=');
      const [rawName, rawValue] = at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
      return { name: decode(rawName), value: decode(rawValue), rawName, rawValue };
    });

/** The fields of a form, as text or from a form parser, which turns a repeated parameter into an array. */
export function formParameters(body: HttpMessage['body']): Parameter[] {
  if (typeof body === 'string') return readParameters(body);
  return body.map(([name, value]) => {
    if (typeof value === 'string') return { name, value, rawName: name, rawValue: value };
    if (looksLike(name) !== undefined)
      throw new SamlError('SAML_PARAMETER', `${looksLike(name)} does not have exactly one value`);
    return { name, value: '', rawName: name, rawValue: '' };
  });
}

/** Names that decide something. Anything that another parser could take for one of them must match it exactly. */
const names = ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg', 'Signature', 'SAMLEncoding', 'SAMLart'];

const looksLike = (name: string): string | undefined => {
  const bare = name
    .replace(/[\s\0]/g, '')
    .split('[', 1)[0]!
    .toLowerCase();
  return names.find(known => known.toLowerCase() === bare);
};

/**
 * The SAML parameters, each at most once and spelled exactly: no `SAMLRequest[]`, no `%53AMLRequest`, no leading space, no second
 * one that a framework would prefer (CVE-2025-27773, CVE-2025-31335). Other parameters are ignored.
 */
export function getSamlParameters(parameters: readonly Parameter[]): Map<string, Parameter> {
  const found = new Map<string, Parameter>();
  for (const parameter of parameters) {
    const known = looksLike(parameter.name);
    if (known === undefined) continue;
    if (parameter.rawName !== known) throw new SamlError('SAML_PARAMETER', `a parameter that looks like ${known} but is not`);
    if (found.has(known)) throw new SamlError('SAML_PARAMETER', `duplicate parameter ${known}`);
    if (parameter.value.includes(';SAML') || parameter.value.includes('\0'))
      throw new SamlError('SAML_PARAMETER', `${known} contains a separator`);
    found.set(known, parameter);
  }
  return found;
}

const maxReceivedRelayState = 4096;

/**
 * RelayState is opaque and never an address to redirect to. We send at most 80 bytes (saml-bindings-2.0 3.4.3); several providers
 * send more, and ours is compared anyway.
 */
export function readRelayState(relayState: string | undefined): string | undefined {
  if (relayState !== undefined && relayState.length > maxReceivedRelayState)
    throw new SamlError('SAML_RELAY_STATE', `RelayState has more than ${maxReceivedRelayState} characters`);
  return relayState;
}
