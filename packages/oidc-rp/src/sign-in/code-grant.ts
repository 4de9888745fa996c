import { readResource } from '../client/resource.ts';
import type { PendingSignIn } from './pending-sign-in.ts';

/** The parameters that redeem a code. */
export function codeGrant(code: string, pending: PendingSignIn): [string, string][] {
  return [
    ...Object.entries(pending.tokenParameters ?? {}),
    ['grant_type', 'authorization_code'],
    ['code', code],
    ['redirect_uri', pending.redirectUri],
    ['code_verifier', pending.codeVerifier],
    ...readResource(pending.resource).pairs,
  ];
}
