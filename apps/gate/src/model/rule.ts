import type { Email } from './email.ts';
import type { PathPattern } from './path-pattern.ts';

/** The demands of a rule on people of one provider. Everything given must hold; of a list, one entry is enough. */
export interface Demand {
  readonly provider: string;
  readonly groups?: readonly string[];
  readonly emailDomains?: readonly string[];
  /** In lower case. */
  readonly emails?: readonly Email['address'][];
  /** By claim name: one of these values is enough. */
  readonly claims?: Readonly<Record<string, readonly string[]>>;
}

export type Allow =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'people'; readonly any: readonly Demand[] };

/** Access tokens that a rule accepts in place of a session. */
export interface TokenDemand {
  readonly provider: string;
  readonly audience: string;
  readonly scopes: readonly string[];
}

/** The values that an identity header can carry. */
export const headerValues = ['subject', 'issuer', 'email', 'name', 'groups', 'provider'] as const;
export type HeaderValue = (typeof headerValues)[number];

export interface Rule {
  /** Counts from 1, in the order of the configuration. */
  readonly number: number;
  /** Undefined: all methods. */
  readonly methods: readonly string[] | undefined;
  readonly paths: readonly PathPattern[];
  readonly allow: Allow;
  readonly accessTokens: readonly TokenDemand[];
  /** Header names that this rule adds, and what each carries. */
  readonly headers: Readonly<Record<string, HeaderValue>>;
}
