import { parseArgs } from 'node:util';
import { WrongUsage } from './command.ts';

export interface Arguments<Flag extends string> {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<Flag, boolean>>;
}

/**
 * Words and `--flags`, nothing else.
 * @throws WrongUsage for an unknown flag, or another number of words than wanted
 */
export function readArguments<Flag extends string = never>(
  args: readonly string[],
  wanted: { readonly words: readonly string[]; readonly flags?: readonly Flag[] },
): Arguments<Flag> {
  const flags = wanted.flags ?? [];
  const { positionals, values } = parse(args, flags);
  const missing = wanted.words[positionals.length];
  if (missing !== undefined) throw new WrongUsage(`${missing} is missing`);
  const extra = positionals[wanted.words.length];
  if (extra !== undefined) throw new WrongUsage(`"${extra}" is one word too many`);
  const given = Object.fromEntries(flags.map(flag => [flag, values[flag] === true]));
  return { words: positionals, flags: given as Record<Flag, boolean> };
}

function parse(args: readonly string[], flags: readonly string[]) {
  const options = Object.fromEntries(flags.map(flag => [flag, { type: 'boolean' as const }]));
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : String(error));
  }
}
