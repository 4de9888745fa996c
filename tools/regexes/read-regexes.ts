import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'vite';

/** One regular expression of a source file. */
export interface WrittenRegex {
  /** Counts from 1. */
  readonly line: number;
  /** Undefined when it is built at run time. */
  readonly literal: { readonly source: string; readonly flags: string } | undefined;
  /** The nearest one on its line or just above. */
  readonly excuse: Excuse | undefined;
}

/** Why an expression may be slower than in proportion to its text: a comment `super-linear: REASON`. */
export interface Excuse {
  readonly line: number;
  readonly reason: string;
}

export interface RegexesOfFile {
  readonly regexes: readonly WrittenRegex[];
  readonly excuses: readonly Excuse[];
}

const sign = 'super-linear:';
/** A statement that starts above its expression may span several lines. */
const linesBetween = 3;

/** Every regular expression of a source file: literals, and arguments of `RegExp`. */
export function readRegexes(file: string): RegexesOfFile {
  return readRegexesOf(file, readFileSync(file, 'utf8'));
}

export function readRegexesOf(file: string, text: string): RegexesOfFile {
  const { program, comments, errors } = parseSync(file, text);
  const broken = errors.find(error => error.severity === 'Error');
  if (broken) throw new Error(`${file} cannot be parsed: ${broken.message}`);
  const excuses = comments
    .filter(({ type, value }) => type === 'Line' && value.trimStart().startsWith(sign))
    .map(({ start, value }): Excuse => ({ line: lineAt(text, start), reason: value.trim().slice(sign.length).trim() }));
  const regexes: WrittenRegex[] = [];
  const note = (start: number, literal: WrittenRegex['literal']) => {
    const line = lineAt(text, start);
    const excuse = excuses.findLast(excuse => excuse.line <= line && line - excuse.line <= linesBetween);
    regexes.push({ line, literal, excuse });
  };
  const made = ({ callee, arguments: [given, flags], start }: Made) => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp' || (given?.type === 'Literal' && given.regex)) return;
    const source = textOf(given);
    const marks = flags === undefined ? '' : textOf(flags);
    note(start, source === undefined || marks === undefined ? undefined : { source, flags: marks });
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node && node.regex) note(node.start, { source: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression: node => made(node as unknown as Made),
    CallExpression: node => made(node as unknown as Made),
  }).visit(program);
  return { regexes, excuses };
}

interface Made {
  readonly callee: { readonly type: string; readonly name?: string };
  readonly arguments: readonly ({ readonly type: string; readonly value?: unknown; readonly regex?: unknown } | undefined)[];
  readonly start: number;
}

function textOf(node: Made['arguments'][number]): string | undefined {
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
