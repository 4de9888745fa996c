import { OpenTokens } from './bearer/open-tokens.ts';
import { limits } from './limits.ts';
import { decide } from './model/decide.ts';
import { readPathFor } from './model/file-reading.ts';
import { withTrust } from './model/identity.ts';
import { errorFields } from './operate/log.ts';
import type { StreamFacts, StreamOwner } from './proxy/open-streams.ts';
import { type Parts, speaksFor } from './routes/context.ts';
import { OpenSessions } from './sessions/open-sessions.ts';
import type { State } from './state.ts';

/**
 * Closes streams whose session ended (in any process), whose access token expired or was revoked, or whose provider no longer
 * vouches for the person; deletes expired rows in small steps; goes on with tokens that are to be revoked.
 */
export function startTimers(parts: Parts, stateNow: () => State, watchEveryMs: number = limits.watchEveryMs): () => void {
  const { store, streams, log, now } = parts;
  void parts.revocations.open(stateNow);
  let isLooking = false;
  const openSessions = new OpenSessions({
    ...parts,
    onOver: ids => streams.end(({ id }) => id !== undefined && ids.has(id)),
    onChanged: session => {
      streams.change(session);
      streams.end((owner, facts) => owner.id === session.id && !isAllowed(owner, facts, stateNow()), 'FORBIDDEN');
    },
  });
  const openTokens = new OpenTokens({
    now,
    end: ({ name, provider }, why) => {
      log.audit('token-refused', { reason: why === 'refused' ? 'TOKEN_REFUSED' : 'PROVIDER_DOWN', provider, open: true });
      streams.end(({ opaque }) => opaque?.name === name, why === 'refused' ? 'TOKEN_REFUSED' : 'PROVIDER_DOWN');
    },
  });
  const watch = setInterval(async () => {
    const at = now().getTime();
    streams.end(owner => (owner.until !== undefined && owner.until <= at) || !speaksFor(stateNow(), owner));
    openTokens.look(streams.opaqueTokens, stateNow().accessTokens);
    const open = streams.sessions;
    if (isLooking || open.length === 0) return;
    isLooking = true;
    try {
      await openSessions.look(open, stateNow());
    } catch (error) {
      // Without the store we cannot tell who is still signed in, so streams are closed, just as requests are refused meanwhile.
      log.error('the store is unavailable; open streams of sessions are closed', errorFields(error));
      streams.end(({ id }) => id !== undefined, 'STORE_DOWN');
    } finally {
      isLooking = false;
    }
  }, watchEveryMs);
  let isPurging = false;
  const purge = setInterval(async () => {
    if (isPurging) return;
    isPurging = true;
    try {
      while ((await store.purge()).more) await new Promise(resolve => setImmediate(resolve));
    } catch (error) {
      log.warn('could not delete expired rows', errorFields(error));
    } finally {
      isPurging = false;
    }
  }, limits.purgeEveryMs);
  return () => {
    clearInterval(watch);
    clearInterval(purge);
  };
}

/** Whether what was let through is still let through. */
export function isAllowed({ identity }: StreamOwner, { method, target }: StreamFacts, { config, doors }: State): boolean {
  const verdict = readPathFor(config.rules, target);
  if (verdict.kind === 'refused') return false;
  const trusted = doors.get(identity.provider)?.config.trustedEmailDomains ?? [];
  return decide({ method, path: verdict.value.path }, withTrust(identity, trusted), config.rules).kind === 'allow';
}
