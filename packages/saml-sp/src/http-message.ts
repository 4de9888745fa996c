import { SamlError } from './errors.ts';

/** An HTTP request as this package needs it; no framework's own type. */
export interface HttpMessage {
  method: string;
  /** The query exactly as received, without `?`: signatures are over its octets. */
  query?: string | undefined;
  /** The Content-Type header. */
  contentType?: string | undefined;
  /** The body as text, undecoded. */
  body?: string | undefined;
}

/** What our side sends through the browser: a redirect, or a page with a form that posts itself. */
export type OutgoingMessage =
  | { kind: 'redirect'; url: string }
  | {
      kind: 'post';
      /** A whole HTML page. */
      html: string;
      /** Send it as the Content-Security-Policy header of that page. */
      contentSecurityPolicy: string;
      /** Where it posts to, and what: for clients that are no browsers. */
      url: string;
      fields: Record<string, string>;
    };

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new SamlError('SAML_PARAMETER', 'a parameter is not percent-encoded UTF-8', { cause });
  }
};

/** One `name=value` pair as it was received, and decoded. */
export interface Parameter {
  name: string;
  value: string;
  rawName: string;
  rawValue: string;
}

/** Splits a query or form body at `&` and nothing else, keeping the octets (V34). */
export const readParameters = (text: string): Parameter[] =>
  text
    .split('&')
    .filter(pair => pair !== '')
    .map(pair => {
      const at = pair.indexOf('=');
      const [rawName, rawValue] = at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
      return { name: decode(rawName), value: decode(rawValue), rawName, rawValue };
    });

/** Names that decide something. Anything that another reader could take for one of them must be exactly it. */
const names = ['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg', 'Signature', 'SAMLEncoding', 'SAMLart'];

const looksLike = (name: string): string | undefined => {
  const bare = name
    .replace(/[\s\0]/g, '')
    .replace(/\[.*$/, '')
    .toLowerCase();
  return names.find(known => known.toLowerCase() === bare);
};

/**
 * The SAML parameters, each at most once and spelt exactly: no `SAMLRequest[]`, no `%53AMLRequest`, no leading space, no
 * second one that a framework would prefer (V34). Other parameters are ignored.
 */
export function getSamlParameters(parameters: readonly Parameter[]): Map<string, Parameter> {
  const found = new Map<string, Parameter>();
  for (const parameter of parameters) {
    const known = looksLike(parameter.name);
    if (known === undefined) continue;
    if (parameter.rawName !== known) throw new SamlError('SAML_PARAMETER', `a parameter that looks like ${known} but is not`);
    if (found.has(known)) throw new SamlError('SAML_PARAMETER', `${known} is there twice`);
    if (parameter.value.includes(';SAML') || parameter.value.includes('\0'))
      throw new SamlError('SAML_PARAMETER', `${known} holds a separator`);
    found.set(known, parameter);
  }
  return found;
}

/** RelayState must be no longer than 80 bytes (saml-bindings-2.0 3.4.3). It stays opaque: never a place to redirect to. */
export function requireRelayState(relayState: string | undefined): string | undefined {
  if (relayState !== undefined && Buffer.byteLength(relayState) > 80)
    throw new SamlError('SAML_RELAY_STATE', 'RelayState is longer than 80 bytes');
  return relayState;
}
