import type { Element } from 'hast';
import { createLowlight } from 'lowlight';
import { renderBounds } from '../bounds.ts';
import { textOf } from '../tree.ts';
import { grammars } from './grammars.ts';

const lowlight = createLowlight(grammars);

export const languages: readonly string[] = lowlight.listLanguages();

/** Colours code whose language is named and known. Guessing would cost twenty times as much and be wrong too often. */
export class Highlighter {
  /** What one text may spend: past it code stays plain, which no reader of that much code will mind. */
  #left: number = renderBounds.highlightedChars;

  highlight(node: Element): void {
    if (node.tagName !== 'pre') return;
    const [code] = node.children;
    if (node.children.length !== 1 || code?.type !== 'element' || code.tagName !== 'code') return;
    const language = languageOf(code);
    if (!language || !lowlight.registered(language)) return;
    if (code.children.some(child => child.type !== 'text')) return;
    const source = textOf(code);
    if (source.length > Math.min(this.#left, renderBounds.highlightedCharsPerBlock)) return;
    this.#left -= source.length;
    code.children = lowlight.highlight(language, source).children as Element['children'];
    keepOwnClasses(code.children);
  }
}

/** A language within another comes wrapped in its bare name as a class: `css`, `xml`. Only the highlighter's own prefix goes out. */
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
