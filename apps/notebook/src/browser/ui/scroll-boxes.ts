const kinds = 'pre, table, .math-display, .math-long, .math-inline';

/**
 * Makes tables, code and formulas that are wider than their box stops of the Tab key, and only those. They scroll inside the box, and not
 * every browser lets the keyboard scroll a box by itself (WCAG 2.1.1).
 */
export function watchScrollBoxes(root: ParentNode): void {
  const boxes = root.querySelectorAll(`.prose :is(${kinds}), :scope > :is(pre, table)`);
  // The observer runs after layout, when measuring costs nothing.
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
  // A font that loads late changes the widths inside a box without resizing it.
  void document.fonts?.ready.then(look);
}

/** Marks an element of a page and the scroll boxes in it, by their current size. */
export function markScrollBoxesIn(element: HTMLElement): void {
  if (element.matches(kinds)) markScrollBox(element);
  for (const box of element.querySelectorAll<HTMLElement>(kinds)) markScrollBox(box);
}

function markScrollBox(box: HTMLElement): void {
  if (box.scrollWidth > box.clientWidth) {
    box.tabIndex = 0;
    // Adding the same listener again has no effect.
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

/** Tells the style sheet on which sides there is more. In right-to-left boxes `scrollLeft` counts down from 0. */
function showEdges(box: HTMLElement): void {
  const hidden = box.scrollWidth - box.clientWidth;
  const left = isFromRight(box) ? hidden + box.scrollLeft : box.scrollLeft;
  const sides = [left > 1 && 'left', hidden - left > 1 && 'right'].filter(side => side !== false);
  if (box.dataset.more !== sides.join(' ')) box.dataset.more = sides.join(' ');
}

function isFromRight(box: HTMLElement): boolean {
  return getComputedStyle(box).direction === 'rtl';
}
