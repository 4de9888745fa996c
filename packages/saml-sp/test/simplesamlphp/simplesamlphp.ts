import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bindings } from '../../src/xml/names.ts';
import { testKey } from '../support/keys.ts';

const start = fileURLToPath(new URL('../../../../tools/saml-idp/start.sh', import.meta.url));

/** Why SimpleSAMLphp cannot run here; undefined when it can. */
export const missing: string | undefined = (() => {
  if (!existsSync('/usr/share/simplesamlphp/www')) return 'Debian’s simplesamlphp is not installed';
  for (const program of ['php', 'openssl']) {
    try {
      execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    } catch {
      return `${program} is not installed`;
    }
  }
  return undefined;
})();

/** Why it cannot keep messages for artifacts here. */
export const missingForArtifacts: string | undefined = (() => {
  if (missing !== undefined) return missing;
  const modules = execFileSync('php', ['-m'], { encoding: 'utf8' });
  return modules.includes('pdo_sqlite') ? undefined : 'PHP’s pdo_sqlite (php-sqlite3) is not installed';
})();

/** A real identity provider of another make. */
export interface SimpleSamlPhp extends AsyncDisposable {
  entityId: string;
  metadataUrl: string;
  ssoUrl: string;
  /** What it wrote, for a failing test. */
  log(): string;
  /** How the service provider at this address stands in its metadata from now on. */
  know(entityId: string, addresses: { acs: string; slo: string }, more?: Record<string, unknown>): void;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>(done => server.close(() => done()));
  return port;
}

async function untilItAnswers(url: string, log: () => string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answered = await fetch(url).then(
      response => response.ok,
      () => false,
    );
    if (answered) return;
    await new Promise(done => setTimeout(done, 100));
  }
  throw new Error(`SimpleSAMLphp does not answer: ${log()}`);
}

const service = (binding: string, location: string, index: number) => ({ Binding: binding, Location: location, index });

/** Starts one on a free port with an empty session store. */
export async function startSimpleSamlPhp(): Promise<SimpleSamlPhp> {
  const folder = mkdtempSync(join(tmpdir(), 'saml-idp-'));
  const port = await freePort();
  execFileSync(start, [folder, String(port)]);
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  const base = `http://127.0.0.1:${port}/simplesaml/saml2/idp`;
  const log = () =>
    ['php.log', 'server.log']
      .map(name => (existsSync(join(folder, 'log', name)) ? readFileSync(join(folder, 'log', name), 'utf8') : ''))
      .join('\n');
  await untilItAnswers(`${base}/metadata.php`, log);
  return {
    entityId: `http://127.0.0.1:${port}/idp`,
    metadataUrl: `${base}/metadata.php`,
    ssoUrl: `${base}/SSOService.php`,
    log,
    know: (entityId, { acs, slo }, more = {}) => {
      const known = {
        AssertionConsumerService: [
          service(bindings.post, acs, 0),
          service(bindings.paos, acs, 1),
          service(bindings.artifact, acs, 2),
        ],
        SingleLogoutService: [{ Binding: bindings.redirect, Location: slo }],
        certData: testKey('sp').base64,
        NameIDFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
        'simplesaml.nameidattribute': 'mail',
        'saml20.sign.response': true,
        'saml20.sign.assertion': true,
        'validate.authnrequest': true,
        ...more,
      };
      writeFileSync(join(folder, 'sp.json'), JSON.stringify({ [entityId]: known }));
    },
    [Symbol.asyncDispose]: async () => {
      process.kill(pid);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
