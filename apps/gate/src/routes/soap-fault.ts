import type { Answer, HeaderList } from '../http/answer.ts';
import { readProviderPath } from '../urls.ts';

const soapTypes = /^(?:text\/xml|application\/soap\+xml)\s*(?:;|$)/i;
const ecpType = /^application\/vnd\.paos\+xml\s*(?:;|$)/i;

/** Whether a server speaks SOAP to us, by the kind of its body. */
export function isSoap(contentType: string | undefined): boolean {
  return soapTypes.test(contentType ?? '');
}

/** Whether a SAML provider's server, or an enhanced client, sends one of our SAML addresses an envelope. */
export function sendsEnvelope(method: string | undefined, path: string, contentType: string | undefined): boolean {
  const door = readProviderPath(path)?.door;
  return method === 'POST' && (door === 'acs' || door === 'slo') && (isSoap(contentType) || ecpType.test(contentType ?? ''));
}

/** A refusal as SOAP 1.1 §4.4 has it. The status stays ours: it says more than the 500 that a fault usually comes with. */
export function soapFault(status: number, { code, message }: { code: string; message: string }, headers: HeaderList): Answer {
  const whose = status >= 500 ? 'Server' : 'Client';
  return {
    status,
    headers: { 'content-type': 'text/xml; charset=utf-8', ...headers },
    body:
      '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault>' +
      `<faultcode>soap:${whose}</faultcode><faultstring>${escapeXml(`${code}: ${message}`)}</faultstring>` +
      '</soap:Fault></soap:Body></soap:Envelope>',
  };
}

function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold them at all
  const plain = text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
