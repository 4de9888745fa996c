/** The kinds of text in a line that are worth a color to the writer. */
export type TokenKind =
  | 'mark'
  | 'heading'
  | 'strong'
  | 'emphasis'
  | 'struck'
  | 'highlight'
  | 'code'
  | 'link'
  | 'address'
  | 'tag'
  | 'math'
  | 'name';

export interface Token {
  readonly kind: TokenKind;
  readonly from: number;
  readonly to: number;
}

const space = /\s/;
const wordSign = /[\p{L}\p{N}_]/u;
const looks = {
  escape: /\\[!-/:-@[-`{-~]/y,
  run: /([*_])\1{0,2}|~~|==/y,
  ticks: /`+/y,
  tag: /<\/?[A-Za-z][^<>]*>/y,
  autolink: /<(?:https?:|mailto:)[^\s<>]*>/y,
  address: /https?:\/\/[^\s<>]+/y,
  target: /\((?:<[^<>]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)?)(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)|\[[^\][]*\]/y,
  name: /:[a-z0-9_+-]{1,40}:/y,
} as const;
const kindOf: Record<string, TokenKind> = {
  '**': 'strong',
  __: 'strong',
  '*': 'emphasis',
  _: 'emphasis',
  '~~': 'struck',
  '==': 'highlight',
};

/** Finds the spans of one line in a single pass. Opened marks wait in maps, and each character is looked at a fixed number of times. */
export class InlineTokens {
  readonly tokens: Token[] = [];
  readonly #line: string;
  readonly #opened = new Map<string, number>();
  readonly #brackets: number[] = [];
  /** Backtick runs and comment ends that do not occur further on. */
  readonly #absent = new Set<string>();

  constructor(line: string, from: number) {
    this.#line = line;
    for (let at = from; at < line.length; ) at = this.#step(at);
  }

  /** @returns the place to continue at */
  #step(at: number): number {
    switch (this.#line[at]) {
      case '\\':
        return at + (this.#match('escape', at)?.length ?? 1);
      case '`':
        return this.#code(at);
      case '*':
      case '_':
      case '~':
      case '=':
        return this.#run(at);
      case '[':
        this.#brackets.push(at);
        return at + 1;
      case ']':
        return this.#link(at);
      case '<':
        return this.#tag(at);
      case '$':
        return this.#math(at);
      case ':':
        return this.#name(at);
      case 'h':
        return this.#whole('address', at, 'address');
      default:
        return at + 1;
    }
  }

  #match(look: keyof typeof looks, at: number): string | undefined {
    looks[look].lastIndex = at;
    return looks[look].exec(this.#line)?.[0];
  }

  #add(kind: TokenKind, from: number, to: number): number {
    if (to > from) this.tokens.push({ kind, from, to });
    return to;
  }

  #isWord = (at: number): boolean => wordSign.test(this.#line[at] ?? '');
  #isSpace = (at: number): boolean => space.test(this.#line[at] ?? ' ');

  #code(at: number): number {
    const ticks = this.#match('ticks', at)!;
    if (this.#absent.has(ticks)) return at + ticks.length;
    for (let end = at + ticks.length; ; ) {
      end = this.#line.indexOf(ticks, end);
      if (end === -1) break;
      const length = this.#match('ticks', end)!.length;
      if (length === ticks.length) return this.#add('code', at, end + length);
      end += length;
    }
    this.#absent.add(ticks);
    return at + ticks.length;
  }

  #run(at: number): number {
    const run = this.#match('run', at);
    if (!run) return at + 1;
    const end = at + run.length;
    const underscore = run[0] === '_';
    const mayClose = !this.#isSpace(at - 1) && !(underscore && this.#isWord(end));
    const mayOpen = !this.#isSpace(end) && !(underscore && this.#isWord(at - 1));
    const signs =
      run.length === 3
        ? ([
            [run.slice(0, 2), at],
            [run[0]!, at + 2],
          ] as const)
        : ([[run, at]] as const);
    for (const [sign, place] of signs) {
      const opened = this.#opened.get(sign);
      if (mayClose && opened !== undefined && opened + sign.length < at) {
        this.#add(kindOf[sign]!, opened + sign.length, at);
        this.#add('mark', opened, opened + sign.length);
        this.#add('mark', at, end);
        this.#opened.delete(sign);
      } else if (mayOpen) this.#opened.set(sign, place);
    }
    return end;
  }

  #link(at: number): number {
    const opened = this.#brackets.pop();
    if (opened === undefined) return at + 1;
    const from = this.#line[opened - 1] === '!' ? opened - 1 : opened;
    if (this.#line[opened + 1] === '^') return this.#add('name', from, at + 1);
    const target = this.#match('target', at + 1);
    if (target === undefined) return at + 1;
    this.#add('mark', from, opened + 1);
    this.#add('link', opened + 1, at);
    this.#add('mark', at, at + 1);
    return this.#add('address', at + 1, at + 1 + target.length);
  }

  #tag(at: number): number {
    if (this.#line.startsWith('<!--', at) && !this.#absent.has('-->')) {
      const end = this.#line.indexOf('-->', at + 4);
      if (end !== -1) return this.#add('mark', at, end + 3);
      this.#absent.add('-->');
    }
    const autolink = this.#whole('autolink', at, 'address');
    return autolink > at + 1 ? autolink : this.#whole('tag', at, 'tag');
  }

  /** Follows our rules for formulas: no space just inside the `$`, no digit after the closing one. */
  #math(at: number): number {
    const signs = this.#line[at + 1] === '$' ? '$$' : '$';
    const from = at + signs.length;
    const end = this.#line.indexOf(signs, from);
    if (end === -1 || end === from || this.#isSpace(from) || this.#isSpace(end - 1)) return from;
    if (signs === '$' && /\d/.test(this.#line[end + 1] ?? '')) return from;
    return this.#add('math', at, end + signs.length);
  }

  #name(at: number): number {
    const name = this.#match('name', at);
    const touches = (place: number) => this.#isWord(place) || this.#line[place] === ':';
    if (!name || touches(at - 1) || touches(at + name.length)) return at + 1;
    return this.#add('name', at, at + name.length);
  }

  #whole(look: keyof typeof looks, at: number, kind: TokenKind): number {
    const found = this.#isWord(at - 1) && look === 'address' ? undefined : this.#match(look, at);
    return found ? this.#add(kind, at, at + found.length) : at + 1;
  }
}
