import type { Door } from '../sign-in/door.ts';
import type { State } from '../state.ts';
import type { KeyedSession } from './sessions.ts';

/** Another process's clock may be ahead of ours by as much, which is no reason to ask at once. */
const clockToleranceMs = 60_000;

/** Whether a session's provider is to be asked again. */
export function isDue(
  { refreshAt, identity }: Pick<KeyedSession, 'refreshAt' | 'identity'>,
  { doors }: State,
  now: number,
): boolean {
  if (refreshAt === undefined) return false;
  if (refreshAt <= now) return true;
  // The clock was set back since then, or the setting is shorter now. Nobody goes on unasked for as long as the clock was wrong.
  const door: Door | undefined = doors.get(identity.provider);
  const everyMs = door?.refreshEveryMs;
  return everyMs !== undefined && refreshAt > now + everyMs + clockToleranceMs;
}
