import type { Element } from 'hast';
import { createLowlight } from 'lowlight';
import { renderBounds } from '../bounds.ts';
import { textOf } from '../tree.ts';
import { grammars } from './grammars.ts';

const lowlight = createLowlight(grammars);

export const languages: readonly string[] = lowlight.listLanguages();

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
    if (!language || !lowlight.registered(language)) return;
    if (code.children.some(child => child.type !== 'text')) return;
    const source = textOf(code);
    if (!this.#budget.spend(source.length)) return;
    const colored = lowlight.highlight(language, source).children as Element['children'];
    if (isDeeper(colored, renderBounds.highlightedDepth)) return;
    code.children = colored;
    keepOwnClasses(code.children);
  }
}

function isDeeper(children: Element['children'], levels: number): boolean {
  return children.some(child => child.type === 'element' && (levels === 0 || isDeeper(child.children, levels - 1)));
}

/** Keeps only classes with the highlighter's prefix. Embedded languages are wrapped with their bare names as classes: `css`, `xml`. */
function keepOwnClasses(children: Element['children']): void {
  for (const child of children) {
    if (child.type !== 'element') continue;
    const [first] = child.properties.className as string[];
    if (!first?.startsWith('hljs-')) child.properties = {};
    keepOwnClasses(child.children);
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
