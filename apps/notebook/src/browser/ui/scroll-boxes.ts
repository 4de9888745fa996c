const kinds = 'pre, table, .math-display, .math-long';

/**
 * Tables, code and formulas that are wider than their box scroll inside it; those, and only those, become stops of the Tab key, so that they
 * scroll by keyboard in browsers that do not do that by themselves (WCAG 2.1.1).
 */
export function watchScrollBoxes(root: ParentNode): void {
  const boxes = root.querySelectorAll(`.prose :is(${kinds}), :scope > :is(pre, table)`);
  // Told after the page was laid out, when measuring costs nothing.
  const sizes = new ResizeObserver(entries => {
    for (const { target } of entries) markScrollBox(target as HTMLElement);
  });
  const look = (): void => {
    for (const box of boxes) {
      sizes.unobserve(box);
      sizes.observe(box);
    }
  };
  look();
  // Another typeface makes other widths inside a box that stays as it is.
  void document.fonts?.ready.then(look);
}

/** An element of a page, and what is in it, as they are now. */
export function markScrollBoxesIn(element: HTMLElement): void {
  if (element.matches(kinds)) markScrollBox(element);
  for (const box of element.querySelectorAll<HTMLElement>(kinds)) markScrollBox(box);
}

function markScrollBox(box: HTMLElement): void {
  if (box.scrollWidth > box.clientWidth) {
    box.tabIndex = 0;
    // The same listener once more is no second one.
    box.addEventListener('scroll', tellEdges, { passive: true });
    showEdges(box);
  } else {
    box.removeAttribute('tabindex');
    delete box.dataset.more;
  }
}

function tellEdges({ currentTarget }: Event): void {
  showEdges(currentTarget as HTMLElement);
}

/** On which sides there is more, for the style sheet. From the right, what was scrolled counts downwards from 0. */
function showEdges(box: HTMLElement): void {
  const hidden = box.scrollWidth - box.clientWidth;
  const left = isFromRight(box) ? hidden + box.scrollLeft : box.scrollLeft;
  const sides = [left > 1 && 'left', hidden - left > 1 && 'right'].filter(side => side !== false);
  if (box.dataset.more !== sides.join(' ')) box.dataset.more = sides.join(' ');
}

function isFromRight(box: HTMLElement): boolean {
  return getComputedStyle(box).direction === 'rtl';
}
