import { decide } from '../model/decide.ts';
import { readEmail } from '../model/email.ts';
import { readPathFor } from '../model/file-reading.ts';
import type { Identity } from '../model/identity.ts';
import type { Config } from './config.ts';

const question = /^(?:([A-Z]+) )?(\/\S*)(?: as (\S+))?(?: from ([a-z][a-z0-9-]*))?(?: in (\S+))?$/;

/**
 * Answers "POST /api/notebooks as someone@example.org from corp in staff,editors": what the rules decide, and which rule decides
 * it. The address counts as verified. @throws Error when the question cannot be read
 */
export function explain(text: string, config: Config): string {
  const found = question.exec(text.trim());
  if (found === null)
    throw new Error(
      `"${text}" cannot be read. Write it like this: POST /api/notebooks as someone@example.org from corp in staff`,
    );
  const [, method = 'GET', target = '/', who, from, groups] = found;
  const verdict = readPathFor(config.rules, target);
  if (verdict.kind === 'refused') return `${text}: refused, because ${verdict.why}`;
  const identity = who === undefined && from === undefined ? undefined : supposed(who, from, groups, config);
  const decision = decide({ method, path: verdict.value.path }, identity, config.rules);
  if (decision.kind === 'allow') return `${text}: allowed by rule ${decision.rule.number}`;
  if (decision.kind === 'sign-in') return `${text}: must sign in, by rule ${decision.rule.number}${listed(decision.providers)}`;
  if (decision.rule === undefined) return `${text}: denied, because no rule matches`;
  const reasons = {
    nobody: 'it denies everyone',
    'other-provider': `it requires another provider${listed(decision.providers)}`,
    'not-among': 'it does not allow this person',
    'no-rule': 'no rule matches',
    scope: 'the token lacks a scope',
    'token-not-accepted': 'it does not accept this token',
  };
  return `${text}: denied by rule ${decision.rule.number}, because ${reasons[decision.why]}`;
}

function supposed(who: string | undefined, from: string | undefined, groups: string | undefined, config: Config): Identity {
  const provider = from === undefined ? config.providers[0] : config.providers.find(one => one.id === from);
  if (provider === undefined)
    throw new Error(from === undefined ? 'No provider is configured.' : `There is no provider "${from}".`);
  const email = readEmail(who);
  if (who !== undefined && email === undefined) throw new Error(`"${who}" is not an email address that the gate would accept.`);
  return {
    provider: provider.id,
    issuer: provider.protocol === 'oidc' ? provider.issuer : provider.id,
    subject: who ?? 'a person',
    email,
    isEmailTrusted: true,
    name: undefined,
    groups: groups?.split(',') ?? [],
    claims: {},
  };
}

function listed(providers: readonly string[] | undefined): string {
  return providers === undefined || providers.length === 0 ? '' : ` (${providers.join(', ')})`;
}
