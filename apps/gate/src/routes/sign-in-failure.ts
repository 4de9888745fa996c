import { StoreError } from '@octavo/sign-in-store';
import type { Answer } from '../http/answer.ts';
import type { HelpReason } from '../model/help-address.ts';
import { errorFields } from '../operate/log.ts';
import type { Failure } from '../sign-in/door.ts';
import { type OidcDoor, readOidcFailure } from '../sign-in/oidc.ts';
import { readSamlFailure, type SamlDoor } from '../sign-in/saml.ts';
import { signInUrl } from '../urls.ts';
import type { Context } from './context.ts';
import { helpActions, refuse } from './refuse.ts';

const codes = {
  outage: 'PROVIDER_DOWN',
  'refused-by-provider': 'SIGN_IN_REFUSED',
  stale: 'SIGN_IN_EXPIRED',
  'not-accepted': 'SIGN_IN_FAILED',
  fault: 'INTERNAL',
} as const satisfies Record<Failure['kind'], string>;

const clocks = 'The clocks of the provider and this site are too far apart. Contact the site’s administrator.';
const unknownKey =
  'The provider signed with a key that this site does not know. Its certificate may have changed. Contact the site’s administrator.';

/** Advice to the person, for codes that say more than that the sign-in failed. */
const details: Readonly<Record<string, string>> = {
  OIDC_CLAIM_IAT: clocks,
  OIDC_CLAIM_NBF: clocks,
  OIDC_TOKEN_EXPIRED: clocks,
  SAML_ISSUE_INSTANT: clocks,
  SAML_NOT_YET_VALID: clocks,
  SAML_EXPIRED: clocks,
  SAML_SIGNATURE_INVALID: unknownKey,
  OIDC_KEY_UNKNOWN: unknownKey,
};

/** The provider did not say whom it signed in. */
const noSubjectCodes: ReadonlySet<string> = new Set(['SAML_SUBJECT', 'SAML_SUBJECT_ID']);
const helpReasons: Readonly<Partial<Record<Failure['kind'], HelpReason>>> = {
  'refused-by-provider': 'AUTHENTICATION_FAILURE',
  'not-accepted': 'OTHER_ERROR',
};

/** The page for a failed sign-in. The provider's text is not repeated: anybody may have written it. */
export function signInFailure(context: Context, door: OidcDoor | SamlDoor, error: unknown, returnTo: string | undefined): Answer {
  // A failure of the store behind the packages' replay protection is our outage, not the provider's.
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) if (cause instanceof StoreError) throw cause;
  const failure = readOidcFailure(error) ?? readSamlFailure(error) ?? { kind: 'fault' as const, code: 'INTERNAL' };
  const { log, metrics } = context.parts;
  metrics.signIns.inc({ provider: door.id, outcome: failure.kind });
  log.audit('sign-in-failed', {
    provider: door.id,
    reason: failure.code,
    client: context.peer.client,
    ...errorFields(error),
  });
  const others = [...context.state.doors.values()].some(one => one.id !== door.id);
  const reason = noSubjectCodes.has(failure.code) ? 'IDENTIFICATION_FAILURE' : helpReasons[failure.kind];
  return refuse(context, codes[failure.kind], {
    code: failure.code,
    retryAfterSeconds: failure.retryAfterSeconds,
    detail: failure.kind !== 'outage' && Object.hasOwn(details, failure.code) ? details[failure.code] : undefined,
    actions: [
      { href: signInUrl(returnTo, door.id), label: `Try ${door.name} again` },
      // A provider that knows the browser would choose the same account again.
      ...(failure.kind === 'refused-by-provider'
        ? [{ href: signInUrl(returnTo, door.id, { another: true }), label: 'Sign in with another account' }]
        : []),
      ...(others ? [{ href: signInUrl(returnTo), label: 'Sign in another way' }] : []),
      ...(reason === undefined ? [] : helpActions(door, reason)),
    ],
  });
}
