import { fitsMethod } from '../model/decide.ts';
import { readDomain, readEmail } from '../model/email.ts';
import { type PathPattern, readPathPattern } from '../model/path-pattern.ts';
import type { Allow, Demand, Rule, TokenDemand } from '../model/rule.ts';
import type { ProviderConfig } from './config.ts';
import type { Problems } from './problems.ts';
import { type RuleInput, RuleSchema } from './schema.ts';

export interface Surroundings {
  readonly providers: readonly ProviderConfig[];
  /** Whether every provider of the file could be read. If not, nobody can tell whether one that a rule names is missing. */
  readonly areAllRead: boolean;
  readonly ignoreCase: boolean;
}

type DemandInput = Exclude<RuleInput['allow'], string | unknown[]>;

export function readRules(inputs: readonly unknown[], around: Surroundings, problems: Problems): Rule[] {
  const rules = inputs.flatMap((input, at) => {
    const place = `rules[${at}]`;
    return problems.fits(RuleSchema, input, place) ? [readRule(input as RuleInput, at + 1, place, around, problems)] : [];
  });
  refuseHidden(rules, problems);
  return rules;
}

function readRule(input: RuleInput, number: number, place: string, around: Surroundings, problems: Problems): Rule {
  const allow = readAllow(input.allow, `${place}.allow`, around, problems);
  if (input.accessTokens !== undefined && (allow.kind === 'anyone' || allow.kind === 'nobody'))
    problems.add(`${place}.accessTokens`, `has no effect: the rule allows ${allow.kind}`);
  return {
    number,
    methods: input.methods,
    paths: input.paths.flatMap((text, at): PathPattern[] => {
      const pattern = readPathPattern(text, around.ignoreCase);
      if (typeof pattern !== 'string') return [pattern];
      problems.add(`${place}.paths[${at}]`, pattern);
      return [];
    }),
    allow,
    accessTokens: (input.accessTokens ?? []).map((demand, at) =>
      readTokenDemand(demand, `${place}.accessTokens[${at}]`, around, problems),
    ),
    headers: input.headers ?? {},
  };
}

export function readAllow(input: RuleInput['allow'], place: string, around: Surroundings, problems: Problems): Allow {
  if (typeof input === 'string') {
    if (input === 'signed-in' && around.areAllRead && around.providers.length === 0)
      problems.add(place, 'needs at least one provider');
    return { kind: input };
  }
  const list = Array.isArray(input) ? input : [input];
  return {
    kind: 'people',
    any: list.map((demand, at) => readDemand(demand, Array.isArray(input) ? `${place}[${at}]` : place, around, problems)),
  };
}

function readDemand(input: DemandInput, place: string, around: Surroundings, problems: Problems): Demand {
  const provider = findProvider(input.provider, place, around, problems);
  for (const name of Object.keys(input.claims ?? {})) {
    if (provider !== undefined && !provider.claims.includes(name))
      problems.add(
        `${place}.claims.${name}`,
        `the provider ${provider.id} is not configured to keep this claim: add it to its claims`,
      );
  }
  if (provider?.protocol === 'saml') refuseUntrusted(input, provider, place, problems);
  return {
    provider: input.provider,
    ...(input.groups === undefined ? {} : { groups: input.groups }),
    ...(input.claims === undefined ? {} : { claims: input.claims }),
    ...(input.emailDomains === undefined
      ? {}
      : { emailDomains: readEach(input.emailDomains, readDomain, `${place}.emailDomains`, 'domain', problems) }),
    ...(input.emails === undefined
      ? {}
      : {
          emails: readEach(
            input.emails,
            text => readEmail(text)?.address.toLowerCase(),
            `${place}.emails`,
            'plain email address',
            problems,
          ),
        }),
  };
}

/** With a SAML provider, an address counts only in a domain it is trusted for: SAML cannot say "verified". */
function refuseUntrusted(
  { emailDomains = [], emails = [] }: DemandInput,
  { id, trustedEmailDomains }: ProviderConfig,
  place: string,
  problems: Problems,
): void {
  const asked = { emailDomains: emailDomains.map(readDomain), emails: emails.map(text => readEmail(text)?.domain) };
  for (const [name, domains] of Object.entries(asked))
    for (const [at, domain] of domains.entries())
      if (domain !== undefined && !trustedEmailDomains.includes(domain))
        problems.add(`${place}.${name}[${at}]`, `allows no one: ${domain} is not in the trustedEmailDomains of ${id}`);
}

function readTokenDemand(
  input: { provider: string; scopes?: readonly string[] },
  place: string,
  around: Surroundings,
  problems: Problems,
): TokenDemand {
  const provider = findProvider(input.provider, place, around, problems);
  const tokens = provider?.protocol === 'oidc' ? provider.accessTokens : undefined;
  if (provider !== undefined && tokens === undefined)
    problems.add(`${place}.provider`, `the provider ${provider.id} has no accessTokens, so none would be accepted`);
  return { provider: input.provider, audience: tokens?.audience ?? '', scopes: input.scopes ?? [] };
}

function findProvider(id: string, place: string, around: Surroundings, problems: Problems): ProviderConfig | undefined {
  const provider = around.providers.find(one => one.id === id);
  if (provider === undefined && around.areAllRead) problems.add(`${place}.provider`, `there is no provider "${id}"`);
  return provider;
}

function readEach(
  texts: readonly string[],
  read: (text: string) => string | undefined,
  place: string,
  what: string,
  problems: Problems,
): string[] {
  return texts.flatMap((text, at) => {
    const value = read(text);
    if (value === undefined) problems.add(`${place}[${at}]`, `"${text}" is not a ${what}`);
    return value === undefined ? [] : [value];
  });
}

/** The author of a rule that no request can reach believes it is in force. */
function refuseHidden(rules: readonly Rule[], problems: Problems): void {
  for (const [at, rule] of rules.entries()) {
    const hiding = findHiding(rules.slice(0, at), rule);
    if (hiding.length === 0) continue;
    const [names, match] = hiding.length === 1 ? ['rule', 'matches'] : ['rules', 'match'];
    const numbers = hiding.map(({ number }) => number).join(' and ');
    problems.add(`rules[${rule.number - 1}]`, `is never reached: ${names} ${numbers} ${match} all of its requests`);
  }
}

/** @returns the earlier rules that together take every path and method of this one; none when a request can reach it */
function findHiding(earlier: readonly Rule[], { paths, methods }: Rule): readonly Rule[] {
  const requests = paths.flatMap(path => (methods ?? [undefined]).map(method => ({ path, method })));
  const takes = (rule: Rule, { path, method }: (typeof requests)[number]): boolean =>
    (method === undefined ? rule.methods === undefined : fitsMethod(rule, method)) &&
    rule.paths.some(pattern => pattern.covers(path));
  if (requests.length === 0) return [];
  const alone = earlier.find(rule => requests.every(request => takes(rule, request)));
  if (alone !== undefined) return [alone];
  const found = requests.map(request => earlier.find(rule => takes(rule, request)));
  return found.every(rule => rule !== undefined) ? [...new Set(found)].sort((one, other) => one.number - other.number) : [];
}
