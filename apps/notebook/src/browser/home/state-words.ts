import { graceDays } from '../../grace-days.ts';
import { urls } from '../../urls.ts';
import { dayWords, momentWords } from '../device/date-words.ts';
import type { SavedNotebook, SeenState } from '../device/saved-notebooks.ts';

/**
 * Describes a listed notebook in one line; `state` is undefined when the server told no more than this browser knows.
 * @param now this device's clock, which may be wrong; pass `as the server says` when the server has just been asked
 */
export function stateWords(
  { savedAt, expiresAt, openedAt }: SavedNotebook,
  state: SeenState | 'replaced' | undefined,
  now: number | 'as the server says',
): string {
  if (state === 'gone') return 'Gone: deleted, past its expiry, or its edit link was replaced.';
  if (state === 'replaced') return 'Its edit link was replaced by a newer one. Add the new link below.';
  if (state === 'taken-down') return 'Taken down by the operator.';
  if (state === 'burned') return `Opened${openedAt ? ` ${momentWords(openedAt)}` : ''} by its one reader; deleted the day after.`;
  const until = expiresAt === null ? Number.NaN : Date.parse(expiresAt);
  if (now === 'as the server says' ? state === 'expired' : until <= now)
    return `Expired ${dayWords(until)}; deleted after ${dayWords(until + graceDays * 86_400_000)}, unless you postpone it in the editor.`;
  const used = savedAt > 0 ? `Last opened ${dayWords(savedAt)}` : 'Saved here';
  return Number.isNaN(until) ? used : `${used}, expires ${dayWords(until)}`;
}

/**
 * Where the title leads: to the editor, where the view link would show its owner nothing, or use up the one look of burn after read.
 * @param isClosed private, or to be read once, as the server says
 */
export const addressOf = ({ slug, seen }: SavedNotebook, isClosed = false): string =>
  isClosed || seen === 'expired' || seen === 'burned' ? urls.edit(slug) : urls.view(slug);
