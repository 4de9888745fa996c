import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { readDuration } from '../model/duration.ts';
import { canonicalName } from '../model/header-names.ts';
import { defaultHeaderNames } from '../model/identity-headers.ts';
import type { Rule } from '../model/rule.ts';
import { type Config, ConfigError, type ProviderConfig } from './config.ts';
import { findDuplicateNames } from './duplicate-names.ts';
import { type Env, Problems } from './problems.ts';
import { readBridge } from './read-bridge.ts';
import { readProvider } from './read-provider.ts';
import { readRules } from './read-rules.ts';
import { type Frame, FrameSchema } from './schema.ts';

const minKeyLength = 32;
/** Timers count milliseconds in 31 bits: one that is set for longer ends at once. */
const maxTimerSeconds = 24 * 86_400;

/** Headers with a meaning of their own: an identity in one of them would break requests, or be broken by them. */
const takenHeaders = new Set([
  'host',
  'cookie',
  'connection',
  'content-length',
  'content-type',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'origin',
  'referer',
  'set-cookie',
  'location',
  'keep-alive',
  'expect',
  'proxy-connection',
  'proxy-authorization',
  'accept-encoding',
  'range',
]);

/**
 * Reads the configuration: every key is known, every setting has an effect.
 * @throws ConfigError naming every problem
 */
export function readConfig(text: string, env: Env, readFile?: (path: string) => string): Config {
  const problems = new Problems(env, readFile);
  const frame = parse(text, problems);
  const config = frame === undefined ? undefined : complete(frame, problems);
  if (config === undefined || problems.found.length > 0) throw new ConfigError(problems.found);
  return config;
}

function parse(text: string, problems: Problems): Frame | undefined {
  let value: unknown;
  try {
    // Some editors put a byte order mark first. Whole-line comments are allowed; they become empty lines, so an error still names
    // the right line.
    const plain = text.replace(/^\ufeff/, '').replace(/^[ \t]*\/\/.*$/gm, '');
    value = JSON.parse(plain);
    for (const name of findDuplicateNames(plain)) problems.add('the file', `duplicate setting "${name}"`);
  } catch (error) {
    problems.add('the file', `is not JSON: ${(error as Error).message}`);
    return undefined;
  }
  return problems.fits(FrameSchema, value, '') ? (value as Frame) : undefined;
}

function complete(frame: Frame, problems: Problems): Config {
  const publicUrl = readOrigin(frame.publicUrl, 'publicUrl', problems);
  const providers = frame.providers.flatMap((input, at) => readProvider(input, `providers[${at}]`, problems) ?? []);
  refuseDuplicates(
    providers.map(provider => provider.id),
    'providers',
    problems,
  );
  refuseDuplicates(
    providers.flatMap(provider => (provider.protocol === 'oidc' ? [`${provider.issuer} ${provider.clientId}`] : [])),
    'providers: issuer and clientId',
    problems,
  );
  refuseDuplicates(
    providers.flatMap(provider => provider.emailDomains),
    'providers: emailDomains',
    problems,
  );
  const identityHeaders = frame.identityHeaders ?? defaultHeaderNames;
  const areAllRead = providers.length === frame.providers.length;
  const around = { providers, areAllRead, ignoreCase: frame.ignorePathCase === true };
  const rules = readRules(frame.rules, around, problems);
  checkAllHeaders({ identityHeaders, identityToken: frame.identityToken, providers, rules }, problems);
  if (frame.upstream === undefined) checkWithoutUpstream(frame, problems);
  const bridge = frame.bridge && readBridge(frame.bridge, around, problems);
  // A rule or client that cannot be read might use them.
  if (rules.length === frame.rules.length && bridge?.clients.length === frame.bridge?.clients.length) {
    refuseUnusedTokens(providers, rules, problems);
    refuseUnusedClaims({ providers, rules, bridge }, problems);
  }
  for (const [name, text] of Object.entries(frame.timeouts ?? {}))
    if ((readDuration(text) ?? 0) > maxTimerSeconds) problems.add(`timeouts.${name}`, 'must be at most 24d');
  const listen = readListen(frame.listen, problems);
  return {
    listen,
    publicUrl: publicUrl?.origin ?? '',
    isHttps: publicUrl?.protocol === 'https:',
    upstream: frame.upstream === undefined ? undefined : readUpstream(frame.upstream, { publicUrl, listen }, problems),
    trustedProxies: readRanges(frame.trustedProxies ?? [], 'trustedProxies', problems),
    metricsFrom: readRanges(frame.metricsFrom ?? ['127.0.0.0/8', '::1/128'], 'metricsFrom', problems),
    session: readSession(frame, problems),
    providers,
    rules,
    identityHeaders,
    identityToken: frame.identityToken && readIdentityToken(frame.identityToken, problems),
    bridge,
    timeouts: {
      connectSeconds: readDuration(frame.timeouts?.connect) ?? 5,
      responseSeconds: readDuration(frame.timeouts?.response) ?? 60,
      idleSeconds: readDuration(frame.timeouts?.idle) ?? 300,
    },
    upstreamRequests: frame.upstreamRequests,
    log: frame.log ?? 'info',
  };
}

/** Without an upstream, the gate serves a reverse proxy's forward-auth, or is only a bridge. */
function checkWithoutUpstream({ timeouts, upstreamRequests, trustedProxies = [], bridge }: Frame, problems: Problems): void {
  if (timeouts !== undefined) problems.add('timeouts', 'has no effect without upstream');
  if (upstreamRequests !== undefined) problems.add('upstreamRequests', 'has no effect without upstream');
  if (trustedProxies.length === 0 && bridge === undefined)
    problems.add('trustedProxies', 'is required without upstream: only trusted proxies may call the gate');
}

/** An administrator who configures access tokens expects that some rule accepts them. */
function refuseUnusedTokens(providers: readonly ProviderConfig[], rules: readonly Rule[], problems: Problems): void {
  const used = new Set(rules.flatMap(rule => rule.accessTokens.map(demand => demand.provider)));
  for (const [at, provider] of providers.entries())
    if (provider.protocol === 'oidc' && provider.accessTokens !== undefined && !used.has(provider.id))
      problems.add(`providers[${at}].accessTokens`, 'has no effect: no rule accepts them (add accessTokens to a rule)');
}

/** An operator who lists a claim expects it to be used. */
function refuseUnusedClaims(
  { providers, rules, bridge }: Pick<Config, 'providers' | 'rules' | 'bridge'>,
  problems: Problems,
): void {
  const allowing = [...rules, ...(bridge?.clients ?? [])].flatMap(({ allow }) => (allow.kind === 'people' ? allow.any : []));
  const told = (bridge?.claims ?? []).map(({ from }) => from);
  for (const [at, { id, claims }] of providers.entries()) {
    const asked = allowing.flatMap(demand => (demand.provider === id ? Object.keys(demand.claims ?? {}) : []));
    for (const [which, name] of claims.entries())
      if (![...asked, ...told].includes(name))
        problems.add(`providers[${at}].claims[${which}]`, `has no effect: no rule and no application asks for ${name}`);
  }
}

function readIdentityToken(
  { header, key, formerKeys = [], audience }: NonNullable<Frame['identityToken']>,
  problems: Problems,
): NonNullable<Config['identityToken']> {
  const places = ['identityToken.key', ...formerKeys.map((_, at) => `identityToken.formerKeys[${at}]`)];
  const keys = [key, ...formerKeys].flatMap((secret, at) =>
    readSigningKey(problems.secret(secret, places[at] ?? ''), places[at] ?? '', problems),
  );
  return { header, keys, audience };
}

function readSigningKey(pem: string, place: string, problems: Problems): KeyObject[] {
  const key = problems.privateKey(pem, place);
  if (key === undefined) return [];
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return [key];
  problems.add(place, 'must be on the curve P-256');
  return [];
}

function readSession({ session }: Frame, problems: Problems): Config['session'] {
  const lifetimeSeconds = readDuration(session.lifetime) ?? 28_800;
  const idleSeconds = readDuration(session.idle) ?? 3600;
  if (idleSeconds > lifetimeSeconds) problems.add('session.idle', 'is longer than session.lifetime, so it would have no effect');
  const keys = session.keys.map((key, at) => {
    const secret = problems.secret(key, `session.keys[${at}]`);
    if (secret !== '' && secret.length < minKeyLength)
      problems.add(`session.keys[${at}]`, `must have at least ${minKeyLength} characters`);
    return secret;
  });
  refuseDuplicates(
    keys.filter(key => key !== ''),
    'session.keys',
    problems,
    'duplicate key',
  );
  const store = typeof session.store === 'string' ? session.store : problems.secret(session.store, 'session.store');
  if (!/^sqlite:./.test(store) && !(/^postgres(?:ql)?:\/\//.test(store) && URL.canParse(store)))
    problems.add('session.store', 'must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE');
  else if (typeof session.store === 'string' && URL.parse(store)?.password)
    problems.add('session.store', 'contains a password: give it as { "env": … } or { "file": … }');
  return { lifetimeSeconds, idleSeconds, store, keys };
}

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

function readOrigin(text: string, place: string, problems: Problems): URL | undefined {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    problems.add(place, 'must be an https:// address');
    return undefined;
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    problems.add(place, 'must be an origin: no path, query, fragment or password');
  if (url.protocol === 'http:' && !loopback.has(url.hostname))
    problems.add(place, 'must be https (http on a loopback address only)');
  return url;
}

function readUpstream(
  text: string,
  { publicUrl, listen }: { publicUrl: URL | undefined; listen: Config['listen'] },
  problems: Problems,
): URL | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:') {
    problems.add('upstream', 'must be an http:// address: the application must run on the same machine or in the same network');
    return undefined;
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '')
    problems.add('upstream', 'must be an origin, without a path: paths are passed on unchanged');
  if (url.origin === publicUrl?.origin) problems.add('upstream', 'is the gate itself');
  else if (leadsTo(url, listen))
    problems.add('upstream', 'is where the gate itself listens: give the address of the application');
  return url;
}

/** Every request would go around in a circle until no connection is left. */
function leadsTo({ hostname, port }: URL, { host, port: own }: Config['listen']): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  const here = addressesOf(host);
  return Number(port || 80) === own && addressesOf(bare).some(address => here.includes(address));
}

/** The addresses that a name of this machine stands for; another host is its own. */
function addressesOf(host: string): readonly string[] {
  if (host === 'localhost' || host === '::') return [host, '127.0.0.1', '::1'];
  return host === '0.0.0.0' ? [host, '127.0.0.1'] : [host];
}

function readListen(text: string, problems: Problems): Config['listen'] {
  const [, host = '', port = ''] = /^(.+):(\d+)$/.exec(text) ?? [];
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) === 0 && bare !== 'localhost')
    problems.add('listen', 'must begin with an IP address or localhost, for example 127.0.0.1:4180 or [::]:4180');
  if (Number(port) > 65_535) problems.add('listen', 'must end with a port up to 65535');
  return { host: bare, port: Number(port) };
}

function readRanges(entries: readonly string[], place: string, problems: Problems): readonly string[] {
  for (const [at, entry] of entries.entries()) {
    const [address = '', prefix, ...rest] = entry.split('/');
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    const isRange = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= most);
    if (family === 0 || rest.length > 0 || !isRange)
      problems.add(`${place}[${at}]`, `"${entry}" is neither an IP address nor a CIDR range`);
    else if (prefix === '0') problems.add(`${place}[${at}]`, 'covers every address, so anyone could claim any address and path');
  }
  return entries;
}

type HeaderParts = Pick<Config, 'identityHeaders' | 'providers' | 'rules'> & {
  identityToken: Frame['identityToken'] | undefined;
};

/**
 * Each header has one source: given two with the same name, an application may read either. Two rules may set the same header,
 * and so may two providers, since no request meets both.
 */
function checkAllHeaders({ identityHeaders, identityToken, providers, rules }: HeaderParts, problems: Problems): void {
  const by = new Map(Object.keys(identityHeaders).map(name => [canonicalName(name), 'identityHeaders']));
  const check = (headers: Readonly<Record<string, string>>, place: string, settles = '') => {
    checkHeaders(headers, place, problems);
    for (const name of Object.keys(headers)) {
      const before = by.get(canonicalName(name));
      if (before !== undefined && before !== settles) problems.add(`${place}.${name}`, `is already set by ${before}`);
      else if (settles !== '') by.set(canonicalName(name), settles);
    }
  };
  checkHeaders(identityHeaders, 'identityHeaders', problems);
  if (identityToken !== undefined) check({ [identityToken.header]: '' }, 'identityToken.header', 'identityToken');
  for (const [at, provider] of providers.entries())
    if (provider.protocol === 'saml' && provider.tokenExchange !== undefined)
      check({ [provider.tokenExchange.header]: '' }, `providers[${at}].tokenExchange.header`, 'tokenExchange');
  for (const rule of rules) check(rule.headers, `rules[${rule.number - 1}].headers`);
}

function checkHeaders(headers: Readonly<Record<string, string>>, place: string, problems: Problems): void {
  const names = Object.keys(headers);
  refuseDuplicates(names.map(canonicalName), place, problems, 'two names that many servers treat as one');
  for (const name of names) {
    const canonical = canonicalName(name);
    if (
      takenHeaders.has(canonical) ||
      /^(?:x-forwarded|forwarded|sec-|x-original)/.test(canonical) ||
      canonical === 'authorization'
    )
      problems.add(`${place}.${name}`, 'is a reserved header and cannot carry an identity');
  }
}

function refuseDuplicates(values: readonly string[], place: string, problems: Problems, why?: string): void {
  const seen = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) problems.add(place, why ?? `duplicate ${value}`);
    seen.add(value);
  }
}
