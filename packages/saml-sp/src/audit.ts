import type { SamlErrorCode } from './errors.ts';

/** What happened to one message. It names nobody: neither the person nor the message is in it. */
export interface AuditEvent {
  event:
    | 'sign-in-started'
    | 'sign-in-finished'
    | 'sign-out-started'
    | 'logout-request'
    | 'logout-response'
    | 'assertion-exchanged';
  outcome: 'accepted' | 'refused';
  /** Why, when it was refused. */
  code?: SamlErrorCode;
  /** Entity ID of the provider, when it is known. */
  identityProvider?: string;
  /** The assertion that was used, to find it in the provider's log. */
  assertionId?: string;
  /** The request that it answers or that was made. */
  requestId?: string;
  at: Date;
}
