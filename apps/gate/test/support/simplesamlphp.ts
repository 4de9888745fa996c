import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './servers.ts';

/** What is not installed; undefined when it can run here. */
export const missing: string | undefined = ['/usr/share/simplesamlphp/www', '/usr/bin/php', '/usr/bin/openssl'].find(
  path => !existsSync(path),
);

export interface SimpleSamlPhp extends AsyncDisposable {
  readonly entityId: string;
  readonly metadataUrl: string;
  readonly origin: string;
  know(entityId: string, urls: { acs: string; slo: string }, more?: Record<string, unknown>): void;
  /** Signs with this key from now on. */
  signWith(pair: { privateKey: string; certificate: string }): void;
  /** Takes an enhanced client's envelope to this provider as alice. @returns what the client posts to the gate's consumer */
  carry(envelope: string): Promise<string>;
}

/** What an enhanced client (ECP) says of itself. */
export const enhancedClient = {
  accept: 'text/html, application/vnd.paos+xml',
  paos: 'ver="urn:liberty:paos:2003-08"; "urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp"',
};

const soap =
  'xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" soap:mustUnderstand="1" soap:actor="http://schemas.xmlsoap.org/soap/actor/next"';

const start = fileURLToPath(new URL('../../../../tools/saml-idp/start.sh', import.meta.url));

/** A real identity provider that signs in alice with the password secret. */
export async function startSimpleSamlPhp(): Promise<SimpleSamlPhp> {
  const folder = mkdtempSync(join(tmpdir(), 'saml-idp-'));
  const port = await freePort();
  execFileSync(start, [folder, String(port)], { stdio: 'ignore' });
  const origin = `http://127.0.0.1:${port}`;
  const metadataUrl = `${origin}/simplesaml/saml2/idp/metadata.php`;
  const known: Record<string, unknown> = {};
  for (let tries = 0; ; tries += 1) {
    const answer = await fetch(metadataUrl).catch(() => undefined);
    if (answer?.ok) break;
    if (tries > 300) throw new Error('SimpleSAMLphp does not answer');
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  return {
    entityId: `${origin}/idp`,
    metadataUrl,
    origin,
    know(entityId, { acs, slo }, more = {}) {
      known[entityId] = entryFor(acs, slo, more);
      writeFileSync(join(folder, 'sp.json'), JSON.stringify(known));
    },
    signWith({ privateKey, certificate }) {
      writeFileSync(join(folder, 'cert', 'idp.key'), privateKey);
      writeFileSync(join(folder, 'cert', 'idp.crt'), certificate);
    },
    async carry(envelope) {
      const relayState = /<ecp:RelayState[^>]*>([^<]+)</.exec(envelope)?.[1];
      const response = await fetch(`${origin}/simplesaml/saml2/idp/SSOService.php`, {
        method: 'POST',
        headers: { 'content-type': 'text/xml', authorization: `Basic ${btoa('alice:secret')}` },
        body: envelope.replace(/<soap:Header>.*<\/soap:Header>/s, ''),
      });
      const relay = `<ecp:RelayState ${soap} xmlns:ecp="urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp">${relayState}</ecp:RelayState>`;
      return (await response.text()).replace(/(<([\w-]+:)?Header>).*(<\/([\w-]+:)?Header>)/s, `$1${relay}$3`);
    },
    async [Symbol.asyncDispose]() {
      process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const bindings = 'urn:oasis:names:tc:SAML:2.0:bindings';

function entryFor(acs: string, slo: string, more: Record<string, unknown>): Record<string, unknown> {
  return {
    AssertionConsumerService: [
      { Binding: `${bindings}:HTTP-POST`, Location: acs, index: 0 },
      { Binding: `${bindings}:PAOS`, Location: acs, index: 1 },
    ],
    SingleLogoutService: [{ Binding: `${bindings}:HTTP-Redirect`, Location: slo }],
    NameIDFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    'simplesaml.nameidattribute': 'mail',
    'saml20.sign.response': true,
    'saml20.sign.assertion': true,
    'validate.authnrequest': true,
    'redirect.sign': true,
    ...more,
  };
}

/** A key with its certificate, as a service provider has one. */
export function createKeyPair(): { privateKey: string; certificate: string } {
  const folder = mkdtempSync(join(tmpdir(), 'saml-key-'));
  const [key, certificate] = [join(folder, 'sp.key'), join(folder, 'sp.crt')];
  const words = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '30',
    '-subj',
    '/CN=sp',
    '-keyout',
    key,
    '-out',
    certificate,
  ];
  execFileSync('openssl', words, { stdio: 'ignore' });
  const pair = { privateKey: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') };
  rmSync(folder, { recursive: true });
  return pair;
}

export function certificateData(certificate: string): string {
  return certificate.replace(/-----[A-Z ]+-----/g, '').replace(/\s+/g, '');
}
