import type { Answer } from '../http/answer.ts';
import type { Decision } from '../model/decide.ts';
import { signInUrl, urls } from '../urls.ts';
import type { Authorization } from './authorize.ts';
import type { Context } from './context.ts';
import { helpActions, type RefusalMore, refuse, scopeChallengeOf } from './refuse.ts';

/** The answer to a person who is signed in but may not, with a way forward where there is one. */
export function denied(
  context: Context,
  decision: Extract<Decision, { kind: 'deny' }>,
  { identity, reference }: Pick<Authorization, 'identity' | 'reference'>,
  returnTo: string | undefined,
): Answer {
  const { doors } = context.state;
  const others = (decision.providers ?? []).flatMap(id => doors.get(id) ?? []);
  // Only the provider can add what the account lacks.
  const door = identity && doors.get(identity.provider);
  const actions: NonNullable<RefusalMore['actions']> =
    decision.why === 'other-provider'
      ? others.map(one => ({ href: signInUrl(returnTo, one.id), label: `Sign in with ${one.name}` }))
      : decision.why === 'not-among'
        ? [
            { href: signInUrl(returnTo, undefined, { another: true }), label: 'Sign in with another account' },
            ...helpActions(door, 'AUTHORIZATION_FAILURE'),
          ]
        : [];
  const who = identity?.email?.address ?? identity?.name;
  return refuse(context, 'FORBIDDEN', {
    ...wordsOf(decision, who === undefined ? undefined : `You are signed in as ${who}.`),
    reference,
    headers: scopeChallengeOf(decision.why),
    actions: identity === undefined ? actions : [...actions, { href: urls.signOut, label: 'Sign out' }],
  });
}

/** @param as which account it is */
function wordsOf({ why }: Extract<Decision, { kind: 'deny' }>, as: string | undefined): Pick<RefusalMore, 'text' | 'detail'> {
  switch (why) {
    case 'no-rule':
    case 'nobody':
      return { text: 'No one has access to this address.' };
    case 'other-provider':
      return { text: 'To open this address, sign in with another provider.', detail: as };
    case 'not-among': {
      const advice = 'Sign in with another account, or ask the site’s administrator for access.';
      return {
        text: 'Your account doesn’t have access to this address.',
        detail: as === undefined ? advice : `${as} ${advice}`,
      };
    }
    case 'scope':
      return { text: 'The access token lacks a required scope.' };
    case 'token-not-accepted':
      return { text: 'This address does not accept access tokens from this provider.' };
  }
}
