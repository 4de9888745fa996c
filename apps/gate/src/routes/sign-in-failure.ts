import { StoreError } from '@octavo/sign-in-store';
import type { Answer } from '../http/answer.ts';
import { errorFields } from '../operate/log.ts';
import type { Failure } from '../sign-in/door.ts';
import { type OidcDoor, readOidcFailure } from '../sign-in/oidc.ts';
import { readSamlFailure, type SamlDoor } from '../sign-in/saml.ts';
import { signInUrl } from '../urls.ts';
import type { Context } from './context.ts';
import { refuse } from './refuse.ts';

const codes = {
  outage: 'PROVIDER_DOWN',
  'refused-by-provider': 'SIGN_IN_REFUSED',
  stale: 'SIGN_IN_EXPIRED',
  'not-accepted': 'SIGN_IN_FAILED',
  fault: 'INTERNAL',
} as const satisfies Record<Failure['kind'], string>;

/** The page for a sign-in that came to nothing. What the provider wrote is not repeated: anybody may have written it. */
export function signInFailure(context: Context, door: OidcDoor | SamlDoor, error: unknown, returnTo: string | undefined): Answer {
  // The store under the packages' replay protection: our outage, not the provider's.
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) if (cause instanceof StoreError) throw cause;
  const failure = readOidcFailure(error) ?? readSamlFailure(error) ?? { kind: 'fault' as const, code: 'INTERNAL' };
  const { log, metrics } = context.parts;
  metrics.signIns.inc({ provider: door.id, outcome: failure.kind });
  log.audit('sign-in-failed', { provider: door.id, reason: failure.code, ...errorFields(error) });
  const others = [...context.state.doors.values()].some(one => one.id !== door.id);
  return refuse(context, codes[failure.kind], {
    code: failure.code,
    actions: [
      { href: signInUrl(returnTo, door.id), label: `Try ${door.name} again` },
      ...(others ? [{ href: signInUrl(returnTo), label: 'Sign in another way' }] : []),
    ],
  });
}
