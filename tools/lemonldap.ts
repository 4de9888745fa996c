import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// LemonLDAP::NG as Debian installs it, acting as OpenID provider and SAML identity provider at once, under Perl's own small server.

const portal = '/usr/share/lemonldap-ng/portal/htdocs/index.psgi';
/** Modules that its two protocols load in addition to the dependencies of Debian's package. */
const modules = ['Lasso', 'XML::Simple', 'IO::String', 'Unicode::String', 'String::Random'];

const runs = (command: string, ...given: string[]): boolean => {
  try {
    execFileSync(command, given, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Why it cannot run here; undefined if it can. */
export const missingLemonLdap: string | undefined = (() => {
  if (!existsSync(portal)) return 'LemonLDAP::NG (liblemonldap-ng-portal-perl) is not installed';
  if (!runs('sh', '-c', 'command -v plackup && command -v openssl')) return 'plackup or openssl is not installed';
  const module = modules.find(name => !runs('perl', `-M${name}`, '-e', '1'));
  return module === undefined ? undefined : `Perl’s ${module} is not installed`;
})();

/** What it knows about the application. */
export interface LemonLdapSetup {
  oidc?: { clientId: string; clientSecret: string; redirectUri: string };
  /** The service provider's metadata. */
  saml?: string;
}

/** A running instance. Its demonstration users have their names as passwords; `dwho` is Doctor Who. */
export interface LemonLdap extends AsyncDisposable {
  /** With a trailing slash, as it names itself. */
  portal: string;
  log(): string;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>(done => server.close(() => done()));
  return port;
}

function openssl(folder: string, ...given: string[]): void {
  execFileSync('openssl', given, { cwd: folder, stdio: 'ignore' });
}

/** Creates RSA keys in the formats that it reads: PKCS#1, the public key alone, a certificate. */
function makeKeys(folder: string): { key: string; publicKey: string; certificate: string } {
  openssl(folder, ...'req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=idp -keyout pkcs8.pem -out cert.pem'.split(' '));
  openssl(folder, ...'rsa -traditional -in pkcs8.pem -out key.pem'.split(' '));
  openssl(folder, ...'rsa -in pkcs8.pem -pubout -out pub.pem'.split(' '));
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return { key: read('key.pem'), publicKey: read('pub.pem'), certificate: read('cert.pem') };
}

const sessionsIn = (folder: string) => ({
  Directory: folder,
  LockDirectory: `${folder}/lock`,
  generateModule: 'Lemonldap::NG::Common::Apache::Session::Generate::SHA256',
});

/** Its configuration, in its own format. */
function configurationOf(folder: string, address: string, setup: LemonLdapSetup): Record<string, unknown> {
  const keys = makeKeys(folder);
  const store = { namespace: 's', cache_root: `${folder}/cache`, default_expires_in: 600, cache_depth: 1 };
  return {
    cfgNum: 1,
    cfgAuthor: 'test',
    cfgDate: 1,
    domain: '127.0.0.1',
    portal: address,
    authentication: 'Demo',
    userDB: 'Same',
    passwordDB: 'Demo',
    // Its default draws images with a library that is not needed here.
    captcha: '::UserDB::Null',
    demoExportedVars: { cn: 'cn', mail: 'mail', uid: 'uid' },
    exportedVars: {},
    macros: { _whatToTrace: '$uid' },
    locationRules: {},
    groups: {},
    securedCookie: 0,
    cookieName: 'lemonldap',
    requireToken: '0',
    whatToTrace: 'uid',
    key: '0123456789abcdef',
    globalStorage: 'Apache::Session::File',
    globalStorageOptions: sessionsIn(`${folder}/sessions`),
    persistentStorage: 'Apache::Session::File',
    persistentStorageOptions: sessionsIn(`${folder}/psessions`),
    localSessionStorage: 'Cache::FileCache',
    localSessionStorageOptions: store,
    ...oidcConfiguration(setup.oidc, keys),
    ...samlConfiguration(setup.saml, keys),
  };
}

function oidcConfiguration(client: LemonLdapSetup['oidc'], keys: ReturnType<typeof makeKeys>): Record<string, unknown> {
  if (client === undefined) return {};
  const options = {
    oidcRPMetaDataOptionsClientID: client.clientId,
    oidcRPMetaDataOptionsClientSecret: client.clientSecret,
    oidcRPMetaDataOptionsRedirectUris: client.redirectUri,
    oidcRPMetaDataOptionsIDTokenSignAlg: 'RS256',
    oidcRPMetaDataOptionsBypassConsent: 1,
    oidcRPMetaDataOptionsUserIDAttr: 'uid',
    oidcRPMetaDataOptionsRequirePKCE: 1,
  };
  return {
    issuerDBOpenIDConnectActivation: 1,
    oidcServicePrivateKeySig: keys.key,
    oidcServicePublicKeySig: keys.publicKey,
    oidcServiceKeyIdSig: 'k1',
    oidcRPMetaDataOptions: { application: options },
    oidcRPMetaDataExportedVars: { application: { email: 'mail', name: 'cn' } },
  };
}

function samlConfiguration(metadata: string | undefined, keys: ReturnType<typeof makeKeys>): Record<string, unknown> {
  if (metadata === undefined) return {};
  const options = {
    samlSPMetaDataOptionsNameIDFormat: 'email',
    samlSPMetaDataOptionsCheckSSOMessageSignature: 1,
    samlSPMetaDataOptionsCheckSLOMessageSignature: 1,
    samlSPMetaDataOptionsSignSSOMessage: 1,
    samlSPMetaDataOptionsSignSLOMessage: 1,
  };
  return {
    issuerDBSAMLActivation: 1,
    samlServicePrivateKeySig: keys.key,
    samlServicePublicKeySig: keys.certificate,
    samlSPMetaDataXML: { application: { samlSPMetaDataXML: metadata } },
    samlSPMetaDataOptions: { application: options },
    samlSPMetaDataExportedAttributes: { application: { mail: '1;mail;;', cn: '1;cn;;' } },
  };
}

/** Starts one on a free port, with empty sessions. */
export async function startLemonLdap(setup: LemonLdapSetup): Promise<LemonLdap> {
  const folder = mkdtempSync(join(tmpdir(), 'lemonldap-'));
  for (const name of ['conf', 'cache', 'sessions/lock', 'psessions/lock']) mkdirSync(join(folder, name), { recursive: true });
  const port = await freePort();
  const address = `http://127.0.0.1:${port}/`;
  writeFileSync(join(folder, 'conf/lmConf-1.json'), JSON.stringify(configurationOf(folder, address, setup)));
  const ini = [
    '[all]',
    'logLevel = warn',
    '[configuration]',
    'type = File',
    `dirName = ${folder}/conf`,
    'localStorage = Cache::FileCache',
    `localStorageOptions = { 'namespace' => 'c', 'default_expires_in' => 600, 'cache_root' => '${folder}/cache', 'cache_depth' => 1 }`,
    '[portal]',
    'staticPrefix = /static',
    'templateDir = /usr/share/lemonldap-ng/portal/templates',
    'languages = en',
  ];
  writeFileSync(join(folder, 'lemonldap-ng.ini'), `${ini.join('\n')}\n`);
  const output = openSync(join(folder, 'log'), 'w');
  const server = spawn('plackup', ['-s', 'HTTP::Server::PSGI', '--host', '127.0.0.1', '-p', String(port), portal], {
    env: { ...process.env, LLNG_DEFAULTCONFFILE: join(folder, 'lemonldap-ng.ini') },
    stdio: ['ignore', output, output],
  });
  const ended = new Promise<void>(done => server.once('exit', () => done()));
  const lemon: LemonLdap = {
    portal: address,
    log: () => readFileSync(join(folder, 'log'), 'utf8'),
    [Symbol.asyncDispose]: async () => {
      server.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
  await untilItAnswers(lemon, () => server.exitCode !== null);
  return lemon;
}

async function untilItAnswers(lemon: LemonLdap, ended: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600 && !ended(); tries += 1) {
    const status = await fetch(lemon.portal).then(
      async response => {
        await response.body?.cancel();
        return response.status;
      },
      () => 0,
    );
    if (status !== 0 && status < 500) return;
    if (status >= 500) break;
    await new Promise(done => setTimeout(done, 100));
  }
  const log = lemon.log();
  await lemon[Symbol.asyncDispose]();
  throw new Error(`LemonLDAP::NG does not respond: ${log.slice(-3000)}`);
}

/** Where a person leaves it: an outside address, or a page that posts a form there. */
export interface CameOut {
  url: string;
  fields: Record<string, string>;
}

/** Signs in as `dwho`, from the address that an application sends the browser to until LemonLDAP::NG sends the browser away. */
export async function signInAtLemonLdap(lemon: LemonLdap, start: string): Promise<CameOut> {
  const cookies = new Map<string, string>();
  let [url, fields]: [string, Record<string, string> | undefined] = [start, undefined];
  for (let steps = 0; steps < 12; steps += 1) {
    if (!url.startsWith(lemon.portal)) return { url, fields: fields ?? {} };
    const response: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(fields === undefined ? {} : { method: 'POST', body: new URLSearchParams(fields) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const page = await response.text();
    [url, fields] = location === null ? nextForm(url, page, lemon) : [new URL(location, url).href, undefined];
  }
  throw new Error(`LemonLDAP::NG never sends the browser back: ${lemon.log().slice(-2000)}`);
}

const plain = (text: string): string => text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

function nextForm(url: string, page: string, lemon: LemonLdap): [string, Record<string, string>] {
  // super-linear: a page from our own test's server.
  const form = /<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/s.exec(page);
  if (form === null) throw new Error(`a page without a form: ${page.slice(0, 1500)}\n${lemon.log().slice(-2000)}`);
  const [, action = '', content = ''] = form;
  // super-linear: as above.
  const hidden = [...content.matchAll(/<input[^>]*>/g)].flatMap(([tag]) => {
    const name = /name="([^"]*)"/.exec(tag)?.[1];
    const value = /value="([^"]*)"/.exec(tag)?.[1];
    return name === undefined || value === undefined || !tag.includes('hidden') ? [] : [[name, plain(value)] as const];
  });
  const person = content.includes('name="user"') ? { user: 'dwho', password: 'dwho' } : {};
  return [new URL(plain(action).replace('#', ''), url).href, { ...Object.fromEntries(hidden), ...person }];
}
