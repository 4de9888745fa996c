import { emojiList } from './emoji-list.ts';

let known: ReadonlyMap<string, string> | undefined;

/** All names with their emoji, in the order of GitHub's list. */
export function emojiNames(): ReadonlyMap<string, string> {
  known ??= readList();
  return known;
}

function readList(): Map<string, string> {
  const names = new Map<string, string>();
  const parts = emojiList.trim().split(/\s+/);
  for (let at = 0; at + 1 < parts.length; at += 2) for (const name of parts[at]!.split(',')) names.set(name, parts[at + 1]!);
  return names;
}

/**
 * `:rocket:`, or several in a row. A name that touches a word or another colon does not count: times (`10:100:20`) and names in code
 * (`std::x::y`) stay as they are. Letters of scripts without spaces may touch it.
 */
// super-linear: a row is tried only where no colon comes before it.
const shortcodes = /(?<![\w:])(?::[a-z0-9_+-]{1,40}:){1,1000}(?![\w:])/g;

/** Replaces each known name by `shown(name, emoji)`. */
export function replaceEmoji(text: string, shown: (name: string, emoji: string) => string): string {
  if (!text.includes(':')) return text;
  return text.replace(shortcodes, row =>
    row.replace(/:([a-z0-9_+-]+):/g, (whole, name: string) => {
      const emoji = emojiNames().get(name);
      return emoji === undefined ? whole : shown(name, emoji);
    }),
  );
}

export const withEmoji = (text: string): string => replaceEmoji(text, (_, emoji) => emoji);
