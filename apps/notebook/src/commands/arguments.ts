import { parseArgs } from 'node:util';
import { UsageError } from './command.ts';

export interface Arguments<Flag extends string, Option extends string> {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<Flag, boolean>>;
  readonly options: Readonly<Partial<Record<Option, string>>>;
}

interface Wanted<Flag extends string, Option extends string> {
  /** The meaning of each word, for the message when it is missing. */
  readonly words: readonly string[];
  /** How many more words may follow at most; may be infinite. */
  readonly more?: number;
  readonly flags?: readonly Flag[];
  /** `--name VALUE`. */
  readonly options?: readonly Option[];
}

/**
 * Accepts words, `--flags` and `--options VALUE`, and nothing else.
 * @throws UsageError for an unknown flag, or a wrong number of words
 */
export function readArguments<Flag extends string = never, Option extends string = never>(
  args: readonly string[],
  { words, more = 0, flags = [], options = [] }: Wanted<Flag, Option>,
): Arguments<Flag, Option> {
  const { positionals, values } = parse(args, flags, options);
  const missing = words[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const extra = positionals[words.length + more];
  if (extra !== undefined) throw new UsageError(`"${extra}" is one word too many`);
  const given = Object.fromEntries(flags.map(flag => [flag, values[flag] === true]));
  const named = Object.fromEntries(options.flatMap(name => (typeof values[name] === 'string' ? [[name, values[name]]] : [])));
  return { words: positionals, flags: given as Record<Flag, boolean>, options: named as Partial<Record<Option, string>> };
}

type Parsed = { positionals: string[]; values: Readonly<Record<string, unknown>> };

function parse(args: readonly string[], flags: readonly string[], named: readonly string[]): Parsed {
  const options = Object.fromEntries([
    ...flags.map(flag => [flag, { type: 'boolean' as const }] as const),
    ...named.map(name => [name, { type: 'string' as const }] as const),
  ]);
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
