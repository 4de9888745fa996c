import type { Identity } from './identity.ts';
import type { Demand, Rule, TokenDemand } from './rule.ts';

/** The facts a decision rests on, besides who asks. */
export interface RequestFacts {
  readonly method: string;
  /** Normalized: the `path` of a `RequestPath`. */
  readonly path: string;
}

export type Decision =
  | { readonly kind: 'allow'; readonly rule: Rule }
  /** Nobody is signed in, and signing in may help. `providers` are those whose people the rule lets in; undefined for any. */
  | { readonly kind: 'sign-in'; readonly rule: Rule; readonly providers: readonly string[] | undefined }
  /** The person who is signed in may not, or nobody may. */
  | {
      readonly kind: 'deny';
      readonly rule: Rule | undefined;
      readonly why: DenyReason;
      readonly providers: readonly string[] | undefined;
    };

export type DenyReason = 'no-rule' | 'nobody' | 'other-provider' | 'not-among' | 'token-not-accepted' | 'scope';

/**
 * The heart of the gate: the first rule that fits the request decides; without one, access is denied. The function is pure, and
 * every request is decided anew, so changed rules count at the next one.
 */
export function decide(facts: RequestFacts, identity: Identity | undefined, rules: readonly Rule[]): Decision {
  return decideBy(findRule(facts, rules), identity);
}

/** The same, when the matching rule is already known. */
export function decideBy(rule: Rule | undefined, identity: Identity | undefined): Decision {
  if (rule === undefined) return { kind: 'deny', rule, why: 'no-rule', providers: undefined };
  const { allow } = rule;
  if (allow.kind === 'anyone') return { kind: 'allow', rule };
  if (allow.kind === 'nobody') return { kind: 'deny', rule, why: 'nobody', providers: undefined };
  const providers = allow.kind === 'people' ? [...new Set(allow.any.map(demand => demand.provider))] : undefined;
  if (identity === undefined) return { kind: 'sign-in', rule, providers };
  if (identity.scopes !== undefined) {
    const refusal = checkToken(identity, rule.accessTokens);
    if (refusal !== undefined) return { kind: 'deny', rule, why: refusal, providers };
  }
  if (allow.kind === 'signed-in') return { kind: 'allow', rule };
  if (allow.any.some(demand => meets(identity, demand))) return { kind: 'allow', rule };
  return { kind: 'deny', rule, why: providers?.includes(identity.provider) ? 'not-among' : 'other-provider', providers };
}

export function findRule(facts: RequestFacts, rules: readonly Rule[]): Rule | undefined {
  return rules.find(rule => fitsMethod(rule, facts.method) && rule.paths.some(pattern => pattern.matches(facts.path)));
}

/** A rule for GET holds for HEAD too: a server answers it from the same place. */
export function fitsMethod(rule: Pick<Rule, 'methods'>, method: string): boolean {
  if (rule.methods === undefined) return true;
  return rule.methods.includes(method) || (method === 'HEAD' && rule.methods.includes('GET'));
}

function checkToken(identity: Identity, demands: readonly TokenDemand[]): DenyReason | undefined {
  const mine = demands.filter(demand => demand.provider === identity.provider);
  if (mine.length === 0) return 'token-not-accepted';
  const granted = identity.scopes ?? [];
  return mine.some(demand => demand.scopes.every(scope => granted.includes(scope))) ? undefined : 'scope';
}

/** Groups, addresses and claims count only for the provider that the rule names: no provider speaks for another. */
export function meets(identity: Identity, demand: Demand): boolean {
  if (identity.provider !== demand.provider) return false;
  if (demand.groups !== undefined && !demand.groups.some(group => identity.groups.includes(group))) return false;
  const { email } = identity;
  const trusted = identity.isEmailTrusted ? email : undefined;
  if (demand.emailDomains !== undefined && !(trusted !== undefined && demand.emailDomains.includes(trusted.domain))) return false;
  // Providers repeat an address as a person once typed it, and in practice no mail server distinguishes the two.
  if (demand.emails !== undefined && !(trusted !== undefined && demand.emails.includes(trusted.address.toLowerCase())))
    return false;
  return Object.entries(demand.claims ?? {}).every(([name, wanted]) =>
    wanted.some(value => Object.hasOwn(identity.claims, name) && identity.claims[name]!.includes(value)),
  );
}
