import { emojiList } from './emoji-list.ts';

let known: ReadonlyMap<string, string> | undefined;

/** Every name and its emoji, in the order of GitHub's list. */
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
 * `:rocket:`, or some in a row. What touches a word or another colon is none: times (`10:100:20`) and names of code (`std::x::y`)
 * stay what they are. Letters of scripts without spaces may touch it.
 */
// super-linear: a row is tried only where no colon stands before it.
const shortcodes = /(?<![\w:])(?::[a-z0-9_+-]{1,40}:){1,1000}(?![\w:])/g;

/** Puts `shown(name, emoji)` in the place of each known name. */
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
