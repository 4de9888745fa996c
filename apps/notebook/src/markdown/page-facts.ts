import type { Element, Root, RootContent } from 'hast';
import { textStart } from '../model/text-start.ts';
import { languageOf } from './language.ts';
import { countedChars, describedChars, minutesFor, shorten, timeOf } from './plain-facts.ts';
import type { PageFacts, Typeface } from './rendered.ts';

/** How much text is used to detect the language. */
const languageChars = 40_000;
/** Elements whose text is in no human language. */
const notSpoken = new Set(['pre', 'code', 'math', 'kbd', 'samp']);

/** A word does not continue after these elements. */
const blocks = new Set('br p li td th tr dt dd div pre summary blockquote math h1 h2 h3 h4 h5 h6'.split(' '));

/** The fonts that elements get from the page's styles (browser/styles/prose.css) and the browser's. */
const typefaces: Readonly<Record<string, Typeface>> = {
  ...Object.fromEntries(['code', 'pre', 'kbd', 'samp', 'tt'].map(tagName => [tagName, 'mono'] as const)),
  ...Object.fromEntries(['em', 'i', 'cite', 'dfn', 'var', 'blockquote'].map(tagName => [tagName, 'italic'] as const)),
};

/**
 * Reads from a safe tree what the views need to know about the page, so that nobody has to read its HTML again.
 * @returns also the language, if there are enough words to tell it
 */
export function readFacts(tree: Root): { readonly facts: PageFacts; readonly language?: string } {
  const reader = new FactReader();
  reader.read(tree.children, { described: true, sourceDescribed: false, counted: true, spoken: true });
  const language = languageOf(reader.spoken);
  return { facts: reader.facts(), ...(language === undefined ? {} : { language }) };
}

/** Which facts the text at a place counts for. */
interface Place {
  /** False in a heading and in a drawn formula. */
  readonly described: boolean;
  /** True where a formula's annotated source is used in the description instead of its drawing. */
  readonly sourceDescribed: boolean;
  /** False for that source. */
  readonly counted: boolean;
  readonly spoken: boolean;
}

class FactReader {
  spoken = '';
  #description = '';
  #minutes = 0;
  #countedChars = 0;
  #allChars = 0;
  #slides = false;
  readonly #typefaces = new Set<Typeface>();

  facts(): PageFacts {
    return {
      description: shorten(this.#description),
      minutes: minutesFor(this.#minutes, this.#countedChars, this.#allChars),
      slides: this.#slides,
      ...(this.#typefaces.size > 0 && { typefaces: [...this.#typefaces].sort() }),
    };
  }

  /** Recursion is safe, because parsing limited the depth. */
  read(nodes: readonly RootContent[], place: Place): void {
    for (const node of nodes) {
      if (node.type === 'text') this.#readText(node.value, place);
      else if (node.type === 'element') this.#readElement(node, place);
    }
  }

  #readText(text: string, { described, counted, spoken }: Place): void {
    if (described) this.#describe(text);
    if (spoken && this.spoken.length < languageChars) this.spoken += `${text.slice(0, languageChars)} `;
    if (!counted) return;
    const piece = text.slice(0, countedChars - this.#countedChars);
    this.#allChars += text.length;
    this.#countedChars += piece.length;
    this.#minutes += timeOf(piece);
  }

  #readElement({ tagName, properties, children }: Element, place: Place): void {
    if (tagName === 'hr') this.#slides = true;
    if (Object.hasOwn(typefaces, tagName)) this.#typefaces.add(typefaces[tagName]!);
    if (tagName === 'math') this.#describe(' ');
    // Footnotes and their references do not belong in a description.
    const isNote = 'dataFootnoteRef' in properties || 'dataFootnotes' in properties;
    const inside = placeIn(tagName, place);
    this.read(children, isNote ? { ...inside, described: false } : inside);
    if (blocks.has(tagName)) this.#describe(' ');
  }

  #describe(text: string): void {
    if (this.#description.length < describedChars) this.#description += textStart(text, describedChars);
  }
}

function placeIn(tagName: string, place: Place): Place {
  if (tagName === 'math') return { ...place, described: false, sourceDescribed: place.described, spoken: false };
  if (tagName === 'annotation') return { ...place, described: place.sourceDescribed, counted: false };
  if (/^h[1-6]$/.test(tagName)) return { ...place, described: false };
  return notSpoken.has(tagName) ? { ...place, spoken: false } : place;
}
