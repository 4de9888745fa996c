import type { Element } from 'hast';
import { renderBounds } from '../bounds.ts';
import { element, text } from '../tree.ts';
import type { Formula } from './formula.ts';
import { findMathEngine } from './math-engine.ts';

/** Longer formulas get their own box to scroll in. */
const longTex = 80;

/** The minimum cost of a formula. */
const leastChars = 20;
/** Commands that define commands. Each use of a defined command may expand to the formula's length. */
const definition = /\\(?:[egx]?def|(?:re)?newcommand|providecommand|(?:global|long)?let|futurelet|DeclareMathOperator)/;

/** Draws the formulas of one text within a budget. Those that cannot be drawn are shown as written. */
export class FormulaDrawer {
  /** True if there was a formula while the engine was not loaded. */
  engineMissing = false;
  #charsLeft: number = renderBounds.texChars;
  #elementsLeft: number = renderBounds.mathElements;

  /** The part of the budget already used. */
  get spent(): { readonly chars: number; readonly elements: number } {
    return { chars: renderBounds.texChars - this.#charsLeft, elements: renderBounds.mathElements - this.#elementsLeft };
  }

  /** Replaces the placeholder by the formula. */
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

  /** @returns the formula, or the reason why it is not drawn */
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
    // Includes the source for copying, and for programs that know TeX better than MathML.
    const annotation = element('annotation', { encoding: 'application/x-tex' }, [text(tex.trim())]);
    return element('math', properties, [element('semantics', {}, [element('mrow', {}, drawn.children), annotation])]);
  }
}
