import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'vite';

/** One regular expression of a source file. */
export interface WrittenRegex {
  /** Counts from 1. */
  readonly line: number;
  /** Undefined when it is built at run time. */
  readonly literal: { readonly source: string; readonly flags: string } | undefined;
  /** The one right above its statement. */
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
/** Another comment may stand between it and the statement. */
const linesBetween = 3;
/** Methods of strings that make an expression of a text they are given. */
const compiling = new Set(['match', 'matchAll', 'search']);

/** Every regular expression of a source file: literals, arguments of `RegExp`, and texts that `match` and `search` make into one. */
export function readRegexes(file: string): RegexesOfFile {
  return readRegexesOf(file, readFileSync(file, 'utf8'));
}

export function readRegexesOf(file: string, text: string): RegexesOfFile {
  const { program, comments, errors } = parseSync(file, text);
  const broken = errors.find(error => error.severity === 'Error');
  if (broken) throw new Error(`${file} cannot be parsed: ${broken.message}`);
  const found = comments.filter(({ type, value }) => type === 'Line' && value.trimStart().startsWith(sign));
  const excuses = found.map(
    ({ start, value }): Excuse => ({ line: lineAt(text, start), reason: value.trim().slice(sign.length).trim() }),
  );
  const covered = findCovered(
    program as unknown as AnyNode,
    found.map(({ end }) => end),
  );
  const regexes: WrittenRegex[] = [];
  const note = (start: number, literal: WrittenRegex['literal']) => {
    const at = covered.findLastIndex(
      (node, of) => isAbove(excuses[of]!, node, text) && node!.start <= start && start < endOf(text, node!),
    );
    regexes.push({ line: lineAt(text, start), literal, excuse: excuses[at] });
  };
  const made = ({ callee, arguments: [given, flags], start }: Made) => {
    const name = callee.type === 'MemberExpression' ? callee.property?.name : callee.name;
    if (name !== undefined && compiling.has(name) && callee.type === 'MemberExpression') {
      const source = textOf(given);
      // A method of ours may have that name, and take any words.
      if (source !== undefined && isExpression(source)) note(start, { source: asLiteral(source, ''), flags: '' });
      return;
    }
    if (name !== 'RegExp' || (given?.type === 'Literal' && given.regex)) return;
    const source = textOf(given);
    const marks = flags === undefined ? '' : textOf(flags);
    note(start, source === undefined || marks === undefined ? undefined : { source: asLiteral(source, marks), flags: marks });
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

/** A text may have a slash where a literal has an escape. */
function asLiteral(source: string, flags: string): string {
  // super-linear: it is never run.
  return new RegExp(source, flags).source;
}

function isExpression(source: string): boolean {
  try {
    return asLiteral(source, '') !== '';
  } catch {
    return false;
  }
}

function isAbove({ line }: Excuse, node: AnyNode | undefined, text: string): boolean {
  return node !== undefined && lineAt(text, node.start) - line <= linesBetween;
}

/** In a chain of calls, the node behind the comment is only a method's name: its line counts, too. */
function endOf(text: string, { start, end }: AnyNode): number {
  const lineEnd = text.indexOf('\n', start);
  return Math.max(end, lineEnd === -1 ? text.length : lineEnd);
}

interface AnyNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as AnyNode).type === 'string';
}

/** For each comment, by its end, the statement, element or property that follows it: the largest node that begins next. */
function findCovered(program: AnyNode, ends: readonly number[]): (AnyNode | undefined)[] {
  const covered: (AnyNode | undefined)[] = ends.map(() => undefined);
  const walk = (node: AnyNode) => {
    for (const [at, end] of ends.entries()) {
      const nearest = covered[at];
      // Parents come before their children: of those that begin together, the first is the largest. The program may begin there, too.
      if (node !== program && node.start >= end && (nearest === undefined || node.start < nearest.start)) covered[at] = node;
    }
    for (const inner of Object.values(node).flat()) if (isNode(inner)) walk(inner);
  };
  walk(program);
  return covered;
}

interface Made {
  readonly callee: { readonly type: string; readonly name?: string; readonly property?: { readonly name?: string } };
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
