import type { Element } from 'hast';
import type { HLJSOptions } from 'highlight.js';
import highlighter from 'highlight.js/lib/core';
import { renderBounds } from '../bounds.ts';
import { textOf } from '../tree.ts';
import { ColorTree } from './color-tree.ts';
import { grammars } from './grammars.ts';

const engine = highlighter.newInstance();
engine.configure({ __emitter: ColorTree } as Partial<HLJSOptions>);
for (const [name, grammar] of Object.entries(grammars)) engine.registerLanguage(name, grammar);

export const languages: readonly string[] = engine.listLanguages();

/** How much code of one text may be colored. The rest stays plain, which nobody who reads that much code will mind. */
export class ColorBudget {
  #left: number = renderBounds.highlightedChars;

  /** @returns false if not that much is left */
  spend(chars: number): boolean {
    if (chars > Math.min(this.#left, renderBounds.highlightedCharsPerBlock)) return false;
    this.#left -= chars;
    return true;
  }
}

/** Colors code with a named, known language. Guessing would cost twenty times as much and be wrong too often. */
export class Highlighter {
  readonly #budget: Pick<ColorBudget, 'spend'>;

  constructor(budget: Pick<ColorBudget, 'spend'>) {
    this.#budget = budget;
  }

  highlight(node: Element): void {
    if (node.tagName !== 'pre') return;
    const [code] = node.children;
    if (node.children.length !== 1 || code?.type !== 'element' || code.tagName !== 'code') return;
    const language = languageOf(code);
    if (!language || !engine.getLanguage(language)) return;
    if (code.children.some(child => child.type !== 'text')) return;
    const source = textOf(code);
    if (!this.#budget.spend(source.length)) return;
    const { errorRaised, _emitter } = engine.highlight(source, { language, ignoreIllegals: true });
    if (errorRaised) throw errorRaised;
    const { children, depth } = _emitter as unknown as ColorTree;
    if (depth > renderBounds.highlightedDepth) return;
    code.children = children;
  }
}

function languageOf(code: Element): string | undefined {
  const names = code.properties.className;
  if (!Array.isArray(names)) return undefined;
  return names
    .map(String)
    .find(name => name.startsWith('language-'))
    ?.slice('language-'.length)
    .toLowerCase();
}
