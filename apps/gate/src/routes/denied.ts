import type { Answer } from '../http/answer.ts';
import type { Decision } from '../model/decide.ts';
import type { Identity } from '../model/identity.ts';
import { signInUrl, urls } from '../urls.ts';
import type { Context } from './context.ts';
import { helpActions, refuse, scopeChallengeOf } from './refuse.ts';

/** The answer to a person who is signed in but may not, with a way forward where there is one. */
export function denied(
  context: Context,
  decision: Extract<Decision, { kind: 'deny' }>,
  identity: Identity | undefined,
  returnTo: string | undefined,
): Answer {
  const { doors } = context.state;
  const others = (decision.providers ?? []).flatMap(id => doors.get(id) ?? []).filter(door => door.id !== identity?.provider);
  const actions =
    decision.why === 'other-provider'
      ? others.map(door => ({ href: signInUrl(returnTo, door.id), label: `Sign in with ${door.name}` }))
      : [];
  // Only the provider can add what the account lacks.
  const door = identity && doors.get(identity.provider);
  const help = decision.why === 'not-among' ? helpActions(door, 'AUTHORIZATION_FAILURE') : [];
  const who = identity?.email?.address ?? identity?.name;
  return refuse(context, 'FORBIDDEN', {
    detail: detailOf(decision, who),
    headers: scopeChallengeOf(decision.why),
    actions: identity === undefined ? actions : [...actions, ...help, { href: urls.signOut, label: 'Sign out' }],
  });
}

function detailOf({ why }: Extract<Decision, { kind: 'deny' }>, who: string | undefined): string {
  const as = who === undefined ? '' : ` You are signed in as ${who}.`;
  switch (why) {
    case 'no-rule':
    case 'nobody':
      return 'No one has access to this address.';
    case 'other-provider':
      return `To open this address, sign in with another provider.${as}`;
    case 'not-among':
      return `Your account doesn’t have access.${as}`;
    case 'scope':
      return 'The access token lacks a required scope.';
    case 'token-not-accepted':
      return 'This address does not accept access tokens from this provider.';
  }
}
