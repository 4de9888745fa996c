import { readFileSync } from 'node:fs';
import { AccessTokens } from './bearer/access-tokens.ts';
import { type Config, ConfigError } from './config/config.ts';
import { bridgeCookies, type CookieNames, cookieNames } from './http/cookies.ts';
import { AddressList } from './http/peer.ts';
import { createReservedNames } from './model/header-names.ts';
import { defaultHeaderNames } from './model/identity-headers.ts';
import type { Door } from './sign-in/door.ts';
import { OidcDoor, type OidcParts } from './sign-in/oidc.ts';
import { SamlDoor, type SamlParts } from './sign-in/saml.ts';

/** Everything that follows from the configuration; a new one replaces all of it in one step. */
export interface State {
  readonly config: Config;
  readonly trusted: AddressList;
  readonly metricsFrom: AddressList;
  readonly doors: ReadonlyMap<string, OidcDoor | SamlDoor>;
  readonly accessTokens: AccessTokens;
  readonly cookies: CookieNames;
  /** Whether a provider's page on another site may finish a sign-in by sending a form, to which no SameSite=Lax cookie comes. */
  readonly expectsForms: boolean;
  readonly isReserved: (name: string) => boolean;
  readonly isOurCookie: (name: string) => boolean;
}

export type DoorParts = Omit<OidcParts & SamlParts, 'publicUrl'>;

/**
 * @param before the state that this one replaces
 * @throws ConfigError with what the packages say about their settings, each named by provider
 */
export function createState(config: Config, parts: DoorParts, before?: State): State {
  const doors = createDoors(config, parts, before);
  const names = new Set([...Object.keys(defaultHeaderNames), ...Object.keys(config.identityHeaders)]);
  for (const rule of config.rules) for (const name of Object.keys(rule.headers)) names.add(name);
  if (config.identityToken !== undefined) names.add(config.identityToken.header);
  for (const one of config.providers)
    if (one.protocol === 'saml' && one.tokenExchange !== undefined) names.add(one.tokenExchange.header);
  const cookies = cookieNames(config.isHttps);
  const bridge = Object.values(bridgeCookies(config.isHttps));
  const ours = new Set<string>([...Object.values(cookies), ...bridge, ...bridge.map(name => `${name}.sig`)]);
  return {
    config,
    trusted: new AddressList(config.trustedProxies),
    metricsFrom: new AddressList(config.metricsFrom),
    doors,
    accessTokens: new AccessTokens(
      [...doors.values()].filter(door => door instanceof OidcDoor),
      parts.now,
    ),
    cookies,
    expectsForms: config.isHttps && config.providers.some(one => one.protocol === 'saml' || one.responseMode === 'form_post'),
    isReserved: createReservedNames(names),
    isOurCookie: name => ours.has(name) || name.startsWith(`${cookies.browser}-`),
  };
}

function createDoors({ providers, publicUrl }: Config, parts: DoorParts, before?: State): Map<string, OidcDoor | SamlDoor> {
  const doors = new Map<string, OidcDoor | SamlDoor>();
  const problems: string[] = [];
  const all = { ...parts, publicUrl };
  for (const [at, provider] of providers.entries()) {
    if (!provider.enabled) continue;
    try {
      const former = before?.doors.get(provider.id);
      const formerSaml = former instanceof SamlDoor ? former : undefined;
      doors.set(
        provider.id,
        provider.protocol === 'oidc' ? new OidcDoor(provider, all) : new SamlDoor(provider, all, formerSaml),
      );
    } catch (error) {
      problems.push(`providers[${at}] (${provider.id}): ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return doors;
}

/** Whether a gate could start with this configuration, as far as can be told without a network. @throws ConfigError */
export function checkState(config: Config): void {
  const nothing = () => {};
  const replayStore = { claim: () => true, release: nothing };
  const silent = { onMetadataError: nothing, onUserInfoError: nothing, onTokenError: nothing };
  closeDoors(createState(config, { replayStore, now: () => new Date(), ...silent }));
  const unreadable = config.providers.flatMap((one, at) =>
    one.protocol === 'saml' && 'file' in one.metadata.source ? checkFile(one.metadata.source.file, `providers[${at}]`) : [],
  );
  if (unreadable.length > 0) throw new ConfigError(unreadable);
}

/** A start goes on without it, since it may come later; who asks for a check wants to know. */
function checkFile(file: string, place: string): string[] {
  try {
    readFileSync(file);
    return [];
  } catch (error) {
    return [`${place}.metadata.file: the file ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`];
  }
}

export function openDoors(state: State): Promise<unknown> {
  return Promise.all([...state.doors.values()].map(door => (door instanceof SamlDoor ? door.open() : undefined)));
}

export function closeDoors(state: State): void {
  for (const door of state.doors.values() as Iterable<Door>) door.close();
}
