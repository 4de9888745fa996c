import type { KeyObject } from 'node:crypto';
import { readDuration } from '../model/duration.ts';
import type { Allow } from '../model/rule.ts';
import {
  type BridgeClientInput,
  BridgeClientSchema,
  type BridgeInput,
  type SigningAlgorithm,
  signingAlgorithms,
} from './bridge-schema.ts';
import type { BridgeClientConfig, BridgeConfig } from './config.ts';
import type { Problems } from './problems.ts';
import { readAllow, type Surroundings } from './read-rules.ts';

const minSecretLength = 32;

/** Claims with a meaning of their own: if we set one of them, applications would believe it. */
const taken = new Set(
  'sub iss aud exp iat nbf jti nonce auth_time acr amr azp sid at_hash c_hash s_hash email email_verified name groups provider'.split(
    ' ',
  ),
);

export function readBridge(input: BridgeInput, around: Surroundings, problems: Problems): BridgeConfig {
  const keys = input.keys.flatMap((key, at) =>
    readKey(problems.secret(key, `bridge.keys[${at}]`), `bridge.keys[${at}]`, problems),
  );
  const clients = input.clients.flatMap((client, at) => {
    const place = `bridge.clients[${at}]`;
    if (!problems.fits(BridgeClientSchema, client, place)) return [];
    return [readClient(client as BridgeClientInput, place, around, keys, problems)];
  });
  const seen = new Set<string>();
  for (const { id } of clients) {
    if (seen.has(id)) problems.add('bridge.clients', `duplicate ${id}`);
    seen.add(id);
  }
  if (around.areAllRead && around.providers.length === 0) problems.add('bridge', 'needs at least one provider');
  return {
    keys,
    clients,
    claims: readClaims(input.claims ?? {}, around, problems),
    claimsInIdToken: input.claimsInIdToken ?? false,
    accessTokenSeconds: readDuration(input.accessTokenLifetime) ?? 300,
  };
}

function readKey(pem: string, place: string, problems: Problems): BridgeConfig['keys'][number][] {
  const key = problems.privateKey(pem, place);
  if (key === undefined) return [];
  const algorithm = algorithmOf(key);
  if (algorithm === undefined) problems.add(place, 'must be RSA with at least 2048 bits, EC on P-256, or Ed25519');
  return algorithm === undefined ? [] : [{ key, algorithm }];
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm | undefined {
  if (asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048) return 'RS256';
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256';
  return asymmetricKeyType === 'ed25519' ? 'EdDSA' : undefined;
}

function readClient(
  input: BridgeClientInput,
  place: string,
  around: Surroundings,
  keys: BridgeConfig['keys'],
  problems: Problems,
): BridgeClientConfig {
  const secret = input.secret === undefined ? undefined : problems.secret(input.secret, `${place}.secret`);
  const authentication = input.authentication ?? (secret === undefined ? 'none' : 'client_secret_basic');
  if (authentication === 'none' && secret !== undefined)
    problems.add(`${place}.secret`, 'has no effect with authentication none');
  if (authentication !== 'none' && secret === undefined) problems.add(`${place}.secret`, 'is missing');
  if (secret !== undefined && secret !== '' && secret.length < minSecretLength)
    problems.add(`${place}.secret`, `must have at least ${minSecretLength} characters`);
  if (input.pkce === 'optional' && authentication === 'none')
    problems.add(`${place}.pkce`, 'must be required without a secret: otherwise, anyone could use a stolen code');
  const kind = input.kind ?? 'web';
  for (const [at, uri] of input.redirectUris.entries()) checkRedirect(uri, kind, `${place}.redirectUris[${at}]`, problems);
  for (const [at, uri] of (input.postLogoutRedirectUris ?? []).entries())
    checkRedirect(uri, kind, `${place}.postLogoutRedirectUris[${at}]`, problems);
  // A server without https is common on an internal network. The logout token is signed, and names the person by an opaque id only.
  checkUri(input.backChannelLogoutUri, authentication !== 'none', `${place}.backChannelLogoutUri`, problems);
  checkUri(input.frontChannelLogoutUri, false, `${place}.frontChannelLogoutUri`, problems);
  const idTokenAlgorithm = input.idTokenAlgorithm ?? keys[0]?.algorithm ?? signingAlgorithms[0];
  if (keys.length > 0 && !keys.some(key => key.algorithm === idTokenAlgorithm))
    problems.add(`${place}.idTokenAlgorithm`, `needs a key for ${idTokenAlgorithm} in bridge.keys`);
  const allow: Allow = readAllow(input.allow ?? 'signed-in', `${place}.allow`, around, problems);
  return {
    id: input.id,
    name: input.name,
    kind,
    authentication: authentication === 'none' ? { method: authentication } : { method: authentication, secret: secret ?? '' },
    isPkceRequired: input.pkce !== 'optional',
    redirectUris: input.redirectUris,
    postLogoutRedirectUris: input.postLogoutRedirectUris ?? [],
    backChannelLogoutUri: input.backChannelLogoutUri,
    frontChannelLogoutUri: input.frontChannelLogoutUri,
    allow,
    scopes: input.scopes ?? ['email', 'profile', 'groups'],
    idTokenAlgorithm,
  };
}

const isLoopback = ({ protocol, hostname }: URL) => protocol === 'http:' && /^(?:127\.0\.0\.1|\[::1\]|localhost)$/.test(hostname);

function checkRedirect(text: string, kind: 'web' | 'native', place: string, problems: Problems): void {
  const url = URL.parse(text);
  if (url === null || text.includes('#')) problems.add(place, 'must be an absolute address without a fragment');
  else if (url.username !== '' || url.password !== '') problems.add(place, 'must not contain a password');
  else if (url.protocol !== 'https:' && !isLoopback(url) && !(kind === 'native' && isPrivateUse(url)))
    problems.add(
      place,
      kind === 'native'
        ? 'must be https, http on loopback, or a private-use scheme with a dot'
        : 'must be https (http on a loopback address only)',
    );
}

/** RFC 8252 §7.1: a scheme in reverse domain order, which no other application has by accident. */
function isPrivateUse({ protocol }: URL): boolean {
  return /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/.test(protocol);
}

function checkUri(text: string | undefined, isHttpAllowed: boolean, place: string, problems: Problems): void {
  if (text === undefined) return;
  const url = URL.parse(text);
  if (url === null || text.includes('#') || url.username !== '')
    problems.add(place, 'must be an absolute address without a fragment');
  else if (url.protocol !== 'https:' && !isLoopback(url) && !(isHttpAllowed && url.protocol === 'http:'))
    problems.add(place, 'must be https');
}

function readClaims(
  input: NonNullable<BridgeInput['claims']>,
  { providers, areAllRead }: Surroundings,
  problems: Problems,
): BridgeConfig['claims'] {
  return Object.entries(input).map(([name, { from, list }]) => {
    if (taken.has(name)) problems.add(`bridge.claims.${name}`, 'is a reserved claim');
    if (areAllRead && providers.length > 0 && !providers.some(provider => provider.claims.includes(from)))
      problems.add(
        `bridge.claims.${name}.from`,
        `no provider is configured to keep "${from}": add it to the claims of a provider`,
      );
    return { name, from, isList: list ?? false };
  });
}
