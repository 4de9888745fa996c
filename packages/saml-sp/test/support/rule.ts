import { describe, expect, test } from 'vitest';
import type { SamlErrorCode } from '../../src/errors.ts';
import type { IdentityProviderPolicy } from '../../src/idp/identity-provider.ts';
import type { PendingSignIn } from '../../src/sign-in/pending.ts';
import type { SamlIdentity } from '../../src/sign-in/response.ts';
import type { ServiceProviderOptions } from '../../src/sp/configuration.ts';
import { codeOf } from './refusal.ts';
import { buildResponse, type ResponseRecipe } from './response.ts';
import { createServiceProvider, knownIdp, otherIdp, pending, postResponse } from './world.ts';

/** How the assertion travels. Every fault is tried both ways (encrypted path unchecked). */
export type Mode = 'plain' | 'encrypted';

/** One fixture, wrong in exactly one way (or right: `accepted`), with the verdict it must get. */
export interface Fault extends ResponseRecipe {
  name: string;
  /** `wrapped`: refused by one of the checks against wrapping, whichever meets it first. */
  code: SamlErrorCode | 'accepted' | 'wrapped';
  /** Both unless the fault makes sense one way only; then the reason stands beside it. */
  modes?: Mode[];
  policy?: Partial<IdentityProviderPolicy>;
  options?: Partial<ServiceProviderOptions>;
  /** The sign-in under way; null for none. */
  pending?: Partial<PendingSignIn> | null;
  relayState?: string;
  clientAddress?: string;
  /** The oracles are not asked: it is so large that one of them crashes, after seconds. A smaller fixture of the same fault is. */
  crashesOracles?: boolean;
  /** What an accepted one must have said. */
  expect?: (identity: SamlIdentity) => void;
}

/** A rule of the standard with its fixtures. */
export interface Rule {
  title: string;
  faults: Fault[];
}

const holder = globalThis as { collectedSamlRules?: Rule[] };

/** While a list is being collected (for the oracles), rule files register no tests. */
export function collectRules(): Rule[] {
  holder.collectedSamlRules ??= [];
  return holder.collectedSamlRules;
}

/** The wire bytes of a fault in one mode. */
export const buildFault = (fault: Fault, mode: Mode): string | Uint8Array =>
  buildResponse(mode === 'encrypted' ? { ...fault, encrypt: fault.encrypt ?? {} } : fault);

/** Hands a message to a fresh service provider: the identity, or the code of the refusal. Anything else is a crash. */
export async function attempt(xml: string | Uint8Array, fault: Partial<Fault> = {}): Promise<SamlIdentity | SamlErrorCode> {
  const identityProviders = [knownIdp(fault.policy), otherIdp()];
  const provider = createServiceProvider({ identityProviders, ...fault.options });
  try {
    return await provider.finishSignIn(
      postResponse(xml, fault.relayState),
      fault.pending === null ? undefined : { ...pending, ...fault.pending },
      { clientAddress: fault.clientAddress },
    );
  } catch (error) {
    return codeOf(error);
  }
}

/** The checks that stand between a wrapped message and its reader. */
export const againstWrapping = [
  'SAML_SCHEMA_INVALID',
  'SAML_STRUCTURE',
  'SAML_DUPLICATE_ID',
  'SAML_SIGNATURE_PROFILE',
  'SAML_SIGNATURE_MISSING',
  'SAML_SIGNATURE_INVALID',
];

async function check(fault: Fault, mode: Mode): Promise<void> {
  const outcome = await attempt(buildFault(fault, mode), fault);
  const verdict = typeof outcome === 'string' ? outcome : 'accepted';
  if (fault.code === 'wrapped') expect(againstWrapping).toContain(verdict);
  else expect(verdict).toBe(fault.code);
  if (typeof outcome !== 'string') fault.expect?.(outcome);
}

/** One rule, one file: every fixture plain and encrypted. */
export function rule(title: string, faults: Fault[]): void {
  if (holder.collectedSamlRules !== undefined) {
    holder.collectedSamlRules.push({ title, faults });
    return;
  }
  describe(title, () => {
    for (const fault of faults) {
      for (const mode of fault.modes ?? ['plain', 'encrypted'])
        test(`${fault.name} (${mode}): ${fault.code}`, () => check(fault, mode));
    }
  });
}
