import { readDuration } from '../model/duration.ts';
import { readDomain } from '../model/email.ts';
import type { OidcProviderConfig, ProviderConfig, SamlProviderConfig } from './config.ts';
import type { Problems } from './problems.ts';
import { type OidcInput, OidcProviderSchema, type SamlInput, SamlProviderSchema } from './schema.ts';

/** Names of our own paths: a provider with one of these ids would hide that path. */
const taken = new Set([
  'sign-in',
  'sign-out',
  'signed-out',
  'me',
  'check',
  'forward',
  'healthz',
  'readyz',
  'metrics',
  'resume',
  'assets',
  'oidc',
]);

export function readProvider(input: unknown, place: string, problems: Problems): ProviderConfig | undefined {
  const protocol = (input as { protocol?: unknown } | null)?.protocol;
  if (protocol === 'oidc')
    return problems.fits(OidcProviderSchema, input, place) ? readOidc(input as OidcInput, place, problems) : undefined;
  if (protocol === 'saml')
    return problems.fits(SamlProviderSchema, input, place) ? readSaml(input as SamlInput, place, problems) : undefined;
  problems.add(`${place}.protocol`, 'must be oidc or saml');
  return undefined;
}

function readEvery(input: OidcInput | SamlInput, place: string, problems: Problems) {
  if (taken.has(input.id)) problems.add(`${place}.id`, `"${input.id}" is reserved: it is a path of the gate`);
  return {
    id: input.id,
    name: input.name,
    enabled: input.enabled ?? true,
    emailDomains: readDomains(input.emailDomains, `${place}.emailDomains`, problems),
    trustedEmailDomains: readDomains(input.trustedEmailDomains, `${place}.trustedEmailDomains`, problems),
    claims: input.claims ?? [],
  };
}

function readOidc(input: OidcInput, place: string, problems: Problems): OidcProviderConfig {
  const secret = input.clientSecret === undefined ? undefined : problems.secret(input.clientSecret, `${place}.clientSecret`);
  const method = input.clientAuthentication ?? (secret === undefined ? 'none' : 'client_secret_basic');
  if (method === 'none' && secret !== undefined)
    problems.add(`${place}.clientSecret`, 'has no effect with clientAuthentication none');
  if (method !== 'none' && secret === undefined) problems.add(`${place}.clientSecret`, 'is missing');
  const scopes = input.scopes ?? ['openid', 'email', 'profile'];
  if (!scopes.includes('openid'))
    problems.add(`${place}.scopes`, 'must include openid: without it, the provider does not say who signed in');
  refuseUsualIssuers(input.issuer, `${place}.issuer`, problems);
  const tokens = input.accessTokens;
  if (tokens?.cache !== undefined && tokens.introspection !== true)
    problems.add(`${place}.accessTokens.cache`, 'has no effect without introspection');
  return {
    ...readEvery(input, place, problems),
    protocol: 'oidc',
    issuer: input.issuer,
    clientId: input.clientId,
    clientAuthentication: method === 'none' ? { method } : { method, secret: secret ?? '' },
    scopes,
    idTokenAlgorithms: input.idTokenAlgorithms ?? ['RS256'],
    responseMode: input.responseMode ?? 'query',
    userInfo: input.userInfo ?? true,
    groupsClaim: input.groupsClaim ?? 'groups',
    refreshSeconds: readDuration(input.refresh) ?? 300,
    prompt: input.prompt,
    maxAgeSeconds: readDuration(input.maxAge),
    clockToleranceSeconds: input.clockToleranceSeconds ?? 30,
    signOutMethod: input.signOutMethod ?? 'get',
    frontChannelSessionRequired: input.frontChannelSessionRequired ?? true,
    accessTokens: tokens && {
      audience: tokens.audience,
      algorithms: tokens.algorithms ?? ['RS256'],
      introspection: tokens.introspection ?? false,
      cacheSeconds: readDuration(tokens.cache) ?? 30,
    },
  };
}

/** Addresses that people copy from a provider's pages, and that are no issuer of tokens. */
function refuseUsualIssuers(issuer: string, place: string, problems: Problems): void {
  if (/\/\.well-known\/openid-configuration\/?$/.test(issuer))
    problems.add(place, 'leave out /.well-known/openid-configuration: the issuer is the "issuer" in that document');
  const shared = /^https:\/\/login\.(?:microsoftonline|windows)\.[a-z.]+\/(common|organizations|consumers)(?:\/|$)/.exec(
    issuer,
  )?.[1];
  if (shared !== undefined) problems.add(place, `is shared by all tenants: put your tenant ID in place of "${shared}"`);
}

const leastRefreshSeconds = 10;
const mostRefreshSeconds = 7 * 86_400;

const defaultAttributes = {
  email: ['mail', 'urn:oid:0.9.2342.19200300.100.1.3'],
  name: ['displayName', 'urn:oid:2.16.840.1.113730.3.1.241', 'cn'],
  groups: ['groups', 'isMemberOf', 'urn:oid:1.3.6.1.4.1.5923.1.5.1.1'],
};

const policies = [
  'wantAssertionsSigned',
  'wantResponseSigned',
  'wantAssertionsEncrypted',
  'dangerouslyAllowSha1',
  'dangerouslyAllowCbc',
] as const;

function readSaml(input: SamlInput, place: string, problems: Problems): SamlProviderConfig {
  const { url, file } = input.metadata;
  if ((url === undefined) === (file === undefined)) problems.add(`${place}.metadata`, 'needs either a url or a file');
  const keys = (input.keys ?? []).map((pair, at) => ({
    privateKey: problems.secret(pair.privateKey, `${place}.keys[${at}].privateKey`),
    certificate: problems.secret(pair.certificate, `${place}.keys[${at}].certificate`),
  }));
  if (input.wantAssertionsEncrypted === true && keys.length === 0)
    problems.add(
      `${place}.wantAssertionsEncrypted`,
      'needs keys: without a published key, the provider cannot encrypt assertions',
    );
  const refreshSeconds = readDuration(input.metadata.refresh) ?? 3600;
  if (refreshSeconds < leastRefreshSeconds || refreshSeconds > mostRefreshSeconds)
    problems.add(`${place}.metadata.refresh`, 'must be from 10s to 7d');
  const named = (name: keyof typeof defaultAttributes) => {
    const chosen = input.attributes?.[name];
    return chosen === undefined ? defaultAttributes[name] : [chosen];
  };
  return {
    ...readEvery(input, place, problems),
    protocol: 'saml',
    metadata: {
      source: url === undefined ? { file: file ?? '' } : { url },
      signedBy: (input.metadata.signedBy ?? []).map((one, at) => problems.secret(one, `${place}.metadata.signedBy[${at}]`)),
      refreshSeconds,
    },
    entityId: input.entityId,
    policy: Object.fromEntries(policies.flatMap(name => (input[name] === undefined ? [] : [[name, input[name]]]))),
    keys,
    attributes: { email: named('email'), name: named('name'), groups: named('groups') },
    forceAuthn: input.forceAuthn ?? false,
    tokenExchange: input.tokenExchange && readExchange(input.tokenExchange, `${place}.tokenExchange`, problems),
    clockToleranceSeconds: input.clockToleranceSeconds ?? 60,
  };
}

function readExchange(
  input: NonNullable<SamlInput['tokenExchange']>,
  place: string,
  problems: Problems,
): NonNullable<SamlProviderConfig['tokenExchange']> {
  const { tokenEndpoint, revocationEndpoint, clientId, clientSecret, scope, header, sessionEndsWithToken = false } = input;
  if (!isSecure(tokenEndpoint))
    problems.add(`${place}.tokenEndpoint`, 'must be an https:// address (http on loopback): an assertion is a credential');
  if (revocationEndpoint !== undefined && !isSecure(revocationEndpoint))
    problems.add(
      `${place}.revocationEndpoint`,
      'must be an https:// address (http on loopback): a refresh token is a credential',
    );
  if (clientSecret !== undefined && clientId === undefined)
    problems.add(`${place}.clientSecret`, 'has no effect without clientId');
  return {
    tokenEndpoint,
    revocationEndpoint,
    clientId,
    clientSecret: clientSecret === undefined ? undefined : problems.secret(clientSecret, `${place}.clientSecret`),
    scope,
    header,
    sessionEndsWithToken,
  };
}

function isSecure(address: string): boolean {
  const url = URL.parse(address);
  const isLoopback = url?.protocol === 'http:' && /^(?:127\.0\.0\.1|\[::1\]|localhost)$/.test(url.hostname);
  return url?.protocol === 'https:' || isLoopback;
}

function readDomains(domains: readonly string[] | undefined, place: string, problems: Problems): string[] {
  return (domains ?? []).flatMap((text, at) => {
    const domain = readDomain(text);
    if (domain === undefined) problems.add(`${place}[${at}]`, `"${text}" is not a domain`);
    return domain === undefined ? [] : [domain];
  });
}
