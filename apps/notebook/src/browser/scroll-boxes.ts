/**
 * Tables, code and formulas that are wider than their box scroll inside it; those, and only those, become stops of the Tab key, so that they
 * scroll by keyboard in browsers that do not do that by themselves (WCAG 2.1.1).
 */
export function markScrollBoxes(root: ParentNode): void {
  for (const box of root.querySelectorAll<HTMLElement>(
    '.prose :is(pre, table, .math-display, .math-long), :scope > :is(pre, table)',
  )) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute('tabindex');
  }
}
