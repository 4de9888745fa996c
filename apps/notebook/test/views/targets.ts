import type { Page } from 'playwright-core';

/**
 * What is too small to be hit (WCAG 2.2, 2.5.8): below 24 by 24 CSS pixels, and so near to another target that a circle of that size around its
 * middle meets it. Links in sentences and boxes that the browser draws by itself are excepted there, and here.
 */
export function findSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const least = 24;
    const all = 'a[href], button, input:not([type="hidden"]), select, textarea, summary, [role="menuitem"], [role="separator"]';
    const isShown = (element: Element) => element.checkVisibility({ opacityProperty: false, visibilityProperty: true });
    const isInSentence = (element: Element) =>
      element.matches('a') &&
      getComputedStyle(element).display === 'inline' &&
      [...(element.closest('sup') ?? element).parentElement!.childNodes].some(
        node => node.nodeType === 3 && node.textContent!.trim() !== '',
      );
    const isDrawnByBrowser = (element: Element) => element.matches('[type="checkbox"], [type="radio"]');
    // An open dialog is all that can be reached.
    const root: ParentNode = document.querySelector('dialog[open]') ?? document;
    const targets = [...root.querySelectorAll(all)]
      .filter(isShown)
      .filter(element => !element.closest('.skip-link, .left-empty'))
      .map(element => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && box.height > 1);
    const isNear = (from: DOMRect, box: DOMRect) => {
      const [x, y] = [from.x + from.width / 2, from.y + from.height / 2];
      const dx = Math.max(box.left - x, 0, x - box.right);
      const dy = Math.max(box.top - y, 0, y - box.bottom);
      return Math.hypot(dx, dy) < least / 2;
    };
    return targets
      .filter(({ box }) => box.width < least || box.height < least)
      .filter(({ element }) => !isInSentence(element) && !isDrawnByBrowser(element))
      .filter(({ element, box }) => targets.some(other => other.element !== element && isNear(box, other.box)))
      .map(({ element, box }) => {
        const name = element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 30);
        return `${element.tagName} "${name}" of ${Math.round(box.width)} × ${Math.round(box.height)}`;
      });
  });
}
