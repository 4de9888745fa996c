import type { SamlErrorCode } from '../errors.ts';

/** An event in the life of one message. It contains neither the person nor the message. */
export interface AuditEvent {
  event:
    | 'sign-in-started'
    | 'sign-in-finished'
    | 'sign-out-started'
    | 'logout-request'
    | 'logout-response'
    | 'assertion-exchanged';
  outcome: 'accepted' | 'refused';
  /** The reason, when it was refused. */
  code?: SamlErrorCode;
  /** Entity ID of the provider, when known. */
  identityProvider?: string;
  /** The assertion that was used, to find it in the provider's log. */
  assertionId?: string;
  /** The request that it answers, or that was created. */
  requestId?: string;
  at: Date;
}
