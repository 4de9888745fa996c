import type { KeyObject } from 'node:crypto';
import type { Allow, HeaderValue, Rule } from '../model/rule.ts';
import type { SigningAlgorithm } from './bridge-schema.ts';

/** The configuration, checked and completed. Durations are in seconds; secrets have been read. */
export interface Config {
  readonly listen: { readonly host: string; readonly port: number };
  /** Origin only, without a trailing slash. */
  readonly publicUrl: string;
  readonly isHttps: boolean;
  readonly upstream: URL | undefined;
  readonly trustedProxies: readonly string[];
  readonly metricsFrom: readonly string[];
  readonly session: {
    readonly lifetimeSeconds: number;
    readonly idleSeconds: number;
    readonly store: string;
    readonly keys: readonly string[];
  };
  readonly providers: readonly ProviderConfig[];
  readonly rules: readonly Rule[];
  readonly identityHeaders: Readonly<Record<string, HeaderValue>>;
  readonly identityToken:
    | {
        readonly header: string;
        /** EC keys on P-256. The first one signs; all are published. */
        readonly keys: readonly KeyObject[];
        readonly audience: string;
      }
    | undefined;
  readonly bridge: BridgeConfig | undefined;
  readonly timeouts: { readonly connectSeconds: number; readonly responseSeconds: number; readonly idleSeconds: number };
  /** How many requests the upstream serves at once; undefined for no limit. */
  readonly upstreamRequests: number | undefined;
  readonly log: LogLevel;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

interface EveryProvider {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly emailDomains: readonly string[];
  readonly trustedEmailDomains: readonly string[];
  /** Claims or attributes that rules may ask for, besides groups and address. */
  readonly claims: readonly string[];
  readonly clockToleranceSeconds: number;
}

export interface OidcProviderConfig extends EveryProvider {
  readonly protocol: 'oidc';
  readonly issuer: string;
  readonly clientId: string;
  readonly clientAuthentication:
    | { readonly method: 'client_secret_basic' | 'client_secret_post'; readonly secret: string }
    | { readonly method: 'none' };
  readonly scopes: readonly string[];
  readonly idTokenAlgorithms: readonly string[];
  readonly responseMode: 'query' | 'form_post';
  readonly userInfo: boolean;
  readonly groupsClaim: string;
  readonly refreshSeconds: number;
  readonly prompt: string | undefined;
  readonly maxAgeSeconds: number | undefined;
  readonly signOutMethod: 'get' | 'post';
  readonly frontChannelSessionRequired: boolean;
  readonly accessTokens:
    | {
        readonly audience: string;
        readonly algorithms: readonly string[];
        readonly introspection: boolean;
        readonly cacheSeconds: number;
      }
    | undefined;
}

export interface SamlProviderConfig extends EveryProvider {
  readonly protocol: 'saml';
  readonly metadata: {
    readonly source: { readonly url: string } | { readonly file: string };
    readonly signedBy: readonly string[];
    readonly refreshSeconds: number;
  };
  readonly entityId: string | undefined;
  readonly policy: Readonly<Record<string, boolean>>;
  readonly keys: readonly { readonly privateKey: string; readonly certificate: string }[];
  readonly attributes: {
    readonly email: readonly string[];
    readonly name: readonly string[];
    readonly groups: readonly string[];
  };
  readonly forceAuthn: boolean;
  readonly tokenExchange:
    | {
        readonly tokenEndpoint: string;
        readonly revocationEndpoint: string | undefined;
        readonly clientId: string | undefined;
        readonly clientSecret: string | undefined;
        readonly scope: string | undefined;
        readonly header: string;
        readonly sessionEndsWithToken: boolean;
      }
    | undefined;
}

/** The gate as the OpenID provider of applications. */
export interface BridgeConfig {
  /** The first key of a client's algorithm signs; all are published. */
  readonly keys: readonly { readonly key: KeyObject; readonly algorithm: SigningAlgorithm }[];
  readonly clients: readonly BridgeClientConfig[];
  readonly claims: readonly { readonly name: string; readonly from: string; readonly isList: boolean }[];
  readonly claimsInIdToken: boolean;
  readonly accessTokenSeconds: number;
}

export interface BridgeClientConfig {
  readonly id: string;
  readonly name: string;
  readonly kind: 'web' | 'native';
  readonly authentication:
    | { readonly method: 'client_secret_basic' | 'client_secret_post'; readonly secret: string }
    | { readonly method: 'none' };
  readonly isPkceRequired: boolean;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly backChannelLogoutUri: string | undefined;
  readonly frontChannelLogoutUri: string | undefined;
  readonly allow: Allow;
  readonly scopes: readonly string[];
  readonly idTokenAlgorithm: SigningAlgorithm;
}

export type ProviderConfig = OidcProviderConfig | SamlProviderConfig;

/** Reports every problem at once, so that they can be fixed in one go. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The gate cannot start with this configuration:\n${problems.map(problem => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}
