import type { XmlElement } from 'libxml2-wasm';
import { SamlError, type SamlStatus } from '../errors.ts';
import { ns, statusCodes } from '../xml/names.ts';
import { findChild, getAttribute, getChild, textOf } from '../xml/xml.ts';

/** Reads a Status with all its nested codes (saml-core-2.0 3.2.2). */
export function readStatus(message: XmlElement): SamlStatus {
  const status = getChild(message, ns.samlp, 'Status');
  const codes: string[] = [];
  let code = findChild(status, ns.samlp, 'StatusCode');
  while (code !== undefined && codes.length < 8) {
    codes.push(getAttribute(code, 'Value'));
    code = findChild(code, ns.samlp, 'StatusCode');
  }
  const text = findChild(status, ns.samlp, 'StatusMessage');
  return { code: codes[0] ?? '', detail: codes.slice(1), message: text === undefined ? undefined : textOf(text).slice(0, 1000) };
}

/** Refuses every answer but Success; the error carries what the provider said. */
export function requireSuccess(message: XmlElement): void {
  const status = readStatus(message);
  if (status.code === statusCodes.success && status.detail.length === 0) return;
  const last = status.detail.at(-1) ?? status.code;
  throw new SamlError('SAML_STATUS', `the identity provider responded with ${JSON.stringify(last.slice(0, 120))}`, {
    answer: status,
  });
}
