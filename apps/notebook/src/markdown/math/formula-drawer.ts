import type { Element } from 'hast';
import { renderBounds } from '../bounds.ts';
import { element, text } from '../tree.ts';
import type { Formula } from './formula.ts';
import { findMathEngine } from './math-engine.ts';

/** Longer ones get a box of their own to scroll in. */
const longTex = 80;

/** What every formula costs, however short. */
const leastChars = 20;
/** Words that make words: each use of one may be as long as the formula. */
const definition = /\\(?:[egx]?def|(?:re)?newcommand|providecommand|(?:global|long)?let|futurelet|DeclareMathOperator)/;

/** Draws the formulas of one text, as far as its budget goes; what cannot be drawn is shown as it was written. */
export class FormulaDrawer {
  /** There was a formula, and nothing to draw it with. */
  engineMissing = false;
  #charsLeft: number = renderBounds.texChars;
  #elementsLeft: number = renderBounds.mathElements;

  /** What is spent of the budget. */
  get spent(): { readonly chars: number; readonly elements: number } {
    return { chars: renderBounds.texChars - this.#charsLeft, elements: renderBounds.mathElements - this.#elementsLeft };
  }

  /** Makes the formula of its place holder. */
  fill(place: Element, formula: Formula): void {
    const drawn = this.#draw(formula);
    if (typeof drawn === 'string') {
      place.tagName = 'code';
      place.properties = { className: ['math-source'], ...(drawn === '' ? {} : { title: drawn }) };
      place.children = [text(formula.source)];
      return;
    }
    const kind = formula.display ? 'math-display' : formula.tex.length > longTex ? 'math-long' : 'math-inline';
    place.properties = { className: [kind] };
    place.children = [drawn];
  }

  /** The formula, or why not. */
  #draw({ tex, display }: Formula): Element | string {
    const defines = definition.test(tex);
    this.#charsLeft -= Math.max(tex.length * (defines ? 20 : 1), leastChars);
    if (tex.length > renderBounds.texCharsPerFormula / (defines ? 5 : 1)) return 'This formula is too large';
    if (this.#charsLeft < 0) return '';
    const engine = findMathEngine();
    if (!engine) {
      this.engineMissing = true;
      return '';
    }
    const drawn = engine.draw(tex, display, Math.min(this.#elementsLeft, renderBounds.mathElementsPerFormula));
    if ('problem' in drawn) return drawn.problem;
    this.#elementsLeft -= drawn.elements;
    const properties = display ? { display: 'block' } : {};
    // The source goes along for whoever copies the formula or reads it with a program that knows TeX better than MathML.
    const annotation = element('annotation', { encoding: 'application/x-tex' }, [text(tex.trim())]);
    return element('math', properties, [element('semantics', {}, [element('mrow', {}, drawn.children), annotation])]);
  }
}
