import type { AST } from '@eslint-community/regexpp';
import type { CharSet } from 'refa';
import { Chars, getConsumedChars, isPotentiallyEmpty, isPotentiallyZeroLength, type ReadonlyFlags } from 'regexp-ast-analysis';

/** Whether the text matched before a repetition may consist of the repeated characters: then the repetition can start at each of them. */
type Need = (repeated: CharSet) => boolean;

/** A repetition that can start at no more places than this is a small factor, not a square. */
const mostRepeats = 100;

/**
 * Finds repetitions that can start at many places of the run that they scan: `<[^>]*>` on `<<<<…` scans to the end from each of
 * them, because nothing follows that could match. scslre finds most of these, but not those with several characters before the
 * repetition (`<a.*?<\/a>`), nor lazy ones that look for an end that never comes.
 * @returns the source of each
 */
export function findRestarts(pattern: AST.Pattern, flags: ReadonlyFlags): string[] {
  const found = new Set<string>();

  function walk(elements: readonly AST.Element[], before: readonly Need[], mayFailAfter: boolean): void {
    let needs: readonly Need[] | undefined = before;
    for (const [at, element] of elements.entries()) {
      if (needs === undefined) return;
      const mayFail = mayFailAfter || !elements.slice(at + 1).every(alwaysMatches);
      needs = step(element, needs, mayFail);
    }
  }

  /** What must have been matched after this element too; undefined if nothing after it can start at many places. */
  function step(element: AST.Element, needs: readonly Need[], mayFail: boolean): readonly Need[] | undefined {
    switch (element.type) {
      case 'Assertion':
        return assertion(element, needs);
      case 'Quantifier':
        if (isLong(element) && mayFail) check(element, needs);
        if (element.element.type !== 'Assertion') step(element.element, needs, true);
        return element.min === 0 ? needs : [...needs, consumes(element.element)];
      case 'Group':
      case 'CapturingGroup':
        for (const alternative of element.alternatives) walk(alternative.elements, needs, mayFail);
        return startsAtText(element) ? undefined : [...needs, consumes(element)];
      case 'Backreference':
        return [...needs, () => true];
      default:
        return [...needs, consumes(element)];
    }
  }

  function assertion(element: AST.Assertion, needs: readonly Need[]): readonly Need[] | undefined {
    if (element.kind === 'start') return flags.multiline ? [...needs, has(Chars.lineTerminator(flags))] : undefined;
    if (element.kind === 'lookbehind') {
      const [only, ...others] = element.alternatives;
      if (others.length > 0 || only?.elements.length !== 1) return needs;
      const { chars } = getConsumedChars(only.elements[0]!, flags);
      return [...needs, has(element.negate ? chars.negate() : chars)];
    }
    if (element.kind === 'lookahead') for (const { elements } of element.alternatives) walk(elements, needs, false);
    return needs;
  }

  function check(quantifier: AST.Quantifier, needs: readonly Need[]): void {
    const { chars } = getConsumedChars(quantifier.element, flags);
    if (!chars.isEmpty && needs.every(need => need(chars))) found.add(quantifier.raw);
  }

  function consumes(element: AST.Element): Need {
    if (element.type === 'Group' || element.type === 'CapturingGroup')
      return repeated =>
        element.alternatives.some(
          ({ elements }) => !elements.some(isTextStart) && elements.every(part => consumes(part)(repeated)),
        );
    if (isPotentiallyZeroLength(element, flags)) return () => true;
    if (element.type === 'Quantifier') return consumes(element.element);
    return has(getConsumedChars(element, flags).chars);
  }

  function alwaysMatches(element: AST.Element): boolean {
    return element.type !== 'Assertion' && isPotentiallyEmpty(element, flags);
  }

  /** `(?:^|x)` may start anywhere, `(?:^a|^b)` may not. */
  function startsAtText({ alternatives }: AST.Group | AST.CapturingGroup): boolean {
    return alternatives.every(({ elements: [first] }) => first !== undefined && isTextStart(first));
  }

  function isTextStart(element: AST.Element): boolean {
    return !flags.multiline && element.type === 'Assertion' && element.kind === 'start';
  }

  if (!flags.sticky) for (const { elements } of pattern.alternatives) walk(elements, [], false);
  return [...found];
}

function isLong({ max }: AST.Quantifier): boolean {
  return max >= mostRepeats;
}

function has(chars: CharSet): Need {
  return repeated => !chars.isDisjointWith(repeated);
}
