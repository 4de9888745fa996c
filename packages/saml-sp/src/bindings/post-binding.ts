import { createHash } from 'node:crypto';
import { SamlError } from '../errors.ts';
import { messageLimits } from '../xml/xml.ts';
import { formParameters, getSamlParameters, type OutgoingMessage, type Parameter, readRelayState } from './http-message.ts';
import type { HttpMessage } from './incoming-request.ts';

/** A message that arrived by HTTP-POST. */
export interface PostedMessage {
  kind: 'SAMLRequest' | 'SAMLResponse';
  xml: Uint8Array;
  relayState: string | undefined;
}

/** The largest form that is read. Percent-encoding makes a message larger. */
export const maxFormBytes = messageLimits.maxBytes * 2;

const submitScript = 'document.forms[0].submit()';
const submitHash = createHash('sha256').update(submitScript).digest('base64');

/** Escapes text for HTML content and double-quoted attributes. */
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, found => `&#${found.charCodeAt(0)};`);

/**
 * A page that posts a message automatically, with a button for browsers without scripts. Its policy allows that one script, and
 * posts over https; if the address is http, also to that origin.
 */
export function renderPostForm(url: string, fields: Record<string, string>): OutgoingMessage {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const html =
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Continue</title></head><body>' +
    `<form method="post" action="${escapeHtml(url)}">${inputs.join('')}<button>Continue</button></form><script>${submitScript}</script></body></html>`;
  // Chromium applies `form-action` to the redirects after a post too, and providers redirect to other hosts of theirs, which we
  // cannot know. The form's own target is fixed: the page contains only that form and escaped text.
  const { protocol, origin } = new URL(url);
  const formTargets = protocol === 'https:' ? 'https:' : `https: ${origin}`;
  const contentSecurityPolicy = `default-src 'none'; script-src 'sha256-${submitHash}'; form-action ${formTargets}; base-uri 'none'; frame-ancestors 'none'`;
  return { kind: 'post', html, contentSecurityPolicy, url, fields };
}

/** Decodes base64. Line breaks are allowed, because mail programs and some providers fold it; any other deviation is refused. */
export function decodeBase64(text: string, maxBytes: number): Uint8Array {
  if (text.length > maxBytes * 1.4 + 4096)
    throw new SamlError('SAML_MESSAGE_TOO_LARGE', `the message is larger than ${maxBytes} bytes`);
  const packed = text.replace(/[\r\n]/g, '');
  if (packed === '' || packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(packed))
    throw new SamlError('SAML_ENCODING', 'the message is not base64');
  return Buffer.from(packed, 'base64');
}

function requireForm(message: HttpMessage): HttpMessage['body'] {
  if (message.method !== 'POST') throw new SamlError('SAML_HTTP_METHOD', 'this message must come by POST');
  const type = message.contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw new SamlError('SAML_HTTP_METHOD', 'this message must come as application/x-www-form-urlencoded');
  return message.body;
}

/**
 * Reads a message posted through the browser (saml-bindings-2.0 3.5).
 * @throws SamlError of step "binding"
 */
export const readPostedMessage = (message: HttpMessage): PostedMessage => messageOf(readForm(message));

/** The SAML parameters of a posted form. */
export function readForm(message: HttpMessage): Map<string, Parameter> {
  const body = requireForm(message);
  if (typeof body === 'string' && body.length > maxFormBytes)
    throw new SamlError('SAML_MESSAGE_TOO_LARGE', 'the form is too large');
  return getSamlParameters(formParameters(body));
}

/** The only message of a form. */
export function messageOf(parameters: ReadonlyMap<string, Parameter>): PostedMessage {
  const request = parameters.get('SAMLRequest');
  const response = parameters.get('SAMLResponse');
  if ((request === undefined) === (response === undefined)) {
    throw new SamlError('SAML_PARAMETER', 'expected exactly one of SAMLRequest and SAMLResponse');
  }
  const packed = (request ?? response)?.value ?? '';
  return {
    kind: request === undefined ? 'SAMLResponse' : 'SAMLRequest',
    xml: decodeBase64(packed, messageLimits.maxBytes),
    relayState: readRelayState(parameters.get('RelayState')?.value),
  };
}
