import { expect, test } from 'vitest';
import { isSoap, sendsEnvelope, soapFault } from './soap-fault.ts';

test.each([
  ['POST', '/gate/uni/slo', 'text/xml', true],
  ['POST', '/gate/uni/acs', 'Application/SOAP+XML; charset=utf-8', true],
  ['POST', '/gate/uni/acs', 'application/vnd.paos+xml', true],
  ['GET', '/gate/uni/slo', 'text/xml', false],
  ['POST', '/gate/uni/callback', 'text/xml', false],
  ['POST', '/x', 'text/xml', false],
  ['POST', '/gate/uni/slo', 'text/xmlish', false],
  ['POST', '/gate/uni/slo', 'x-text/xml', false],
  ['POST', '/gate/uni/slo', undefined, false],
])('%s %s with %s brings an envelope: %s', (method, path, type, answer) => {
  expect(sendsEnvelope(method, path, type)).toBe(answer);
});

test.each([
  ['text/xml ;charset=utf-8', true],
  ['application/soap+xml', true],
  ['application/vnd.paos+xml', false],
  ['application/x-www-form-urlencoded', false],
  ['', false],
  [undefined, false],
])('a body of the kind %j is SOAP: %s', (type, answer) => expect(isSoap(type)).toBe(answer));

test('a fault says whose it is and why, in XML whatever the words are', () => {
  const fault = (status: number) => soapFault(status, { code: 'CODE', message: 'a <b> & "c" \u0000\ud800' }, { 'x-a': '1' });
  expect(fault(400)).toEqual({
    status: 400,
    headers: { 'content-type': 'text/xml; charset=utf-8', 'x-a': '1' },
    body: '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault><faultcode>soap:Client</faultcode><faultstring>CODE: a &lt;b&gt; &amp; "c" \ufffd\ufffd</faultstring></soap:Fault></soap:Body></soap:Envelope>',
  });
  expect([499, 500, 503].map(status => /soap:(Client|Server)</.exec(String(fault(status).body))?.[1])).toEqual([
    'Client',
    'Server',
    'Server',
  ]);
});
