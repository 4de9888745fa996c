/**
 * Parses JSON whose member names contain escapes, without the engine's parsing of names.
 *
 * V8 13.6 to 14.6 (Node 24 and 26) misreads them: once `{"a":1,"\\":1}` was parsed anywhere in the process, `{"a":1,"\n":1}` and
 * `{"a":1,"\u0061":1}` give a member called `\`. A misread name is a duplicate that goes unnoticed, so names with escapes are
 * parsed here. The text is already known to be JSON.
 */
export function parseEscapedNames(text: string): unknown {
  return new EscapedJson(text).value();
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

class EscapedJson {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    const next = this.#peek();
    if (next === '{') return this.#object();
    if (next === '[') return this.#array();
    return next === '"' ? this.#string() : this.#literal();
  }

  #object(): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    while (this.#enters('}')) {
      this.#peek();
      const name = this.#string();
      this.#skip(':');
      // Not an assignment: `__proto__` is a member like any other.
      Object.defineProperty(members, name, { value: this.value(), enumerable: true, writable: true, configurable: true });
    }
    return members;
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    while (this.#enters(']')) items.push(this.value());
    return items;
  }

  /** Steps over the bracket or comma before the next item. @returns false when it was the closing bracket */
  #enters(close: string): boolean {
    const next = this.#peek();
    this.#at += 1;
    if (next === close) return false;
    if (next === ',') return true;
    if (this.#peek() !== close) return true;
    this.#at += 1;
    return false;
  }

  #string(): string {
    const start = this.#at + 1;
    let end = start;
    while (this.#text[end] !== '"') end += this.#text[end] === '\\' ? 2 : 1;
    this.#at = end + 1;
    return this.#text
      .slice(start, end)
      .replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_all, code?: string, letter = '') =>
        code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
      );
  }

  #literal(): unknown {
    const start = this.#at;
    while (this.#at < this.#text.length && !/[\s,\]}]/.test(this.#text[this.#at]!)) this.#at += 1;
    return JSON.parse(this.#text.slice(start, this.#at));
  }

  #skip(expected: string): void {
    if (this.#peek() === expected) this.#at += 1;
  }

  #peek(): string {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
    return this.#text[this.#at] ?? '';
  }
}
