/** Below this height (CSS pixels) everything around the text would leave it a few lines: a phone on its side, or with its keyboard up. */
const shortBelow = 480;
/** From this width on the editor has its other layout. */
const wideFrom = 1_024;

/**
 * Tells the style sheet how much of the window is seen. iOS lays its keyboard over the page and moves the page below it: only the visual
 * viewport knows.
 */
export function watchScreen(): void {
  const seen = window.visualViewport;
  if (!seen) return;
  const root = document.documentElement;
  const markWriting = (focused: EventTarget | null): void => {
    root.toggleAttribute('data-writing', focused instanceof Element && focused.closest('.page-editor') !== null);
  };
  const look = (): void => {
    // Somebody who zooms in wants to see a part, not another layout.
    const [width, height] = [seen.width * seen.scale, seen.height * seen.scale];
    root.toggleAttribute('data-short', height < shortBelow && width < wideFrom);
    root.style.setProperty('--seen-height', `${height}px`);
    root.style.setProperty('--seen-top', `${seen.scale > 1 ? 0 : seen.offsetTop}px`);
    markWriting(document.activeElement);
  };
  seen.addEventListener('resize', look);
  seen.addEventListener('scroll', look);
  document.addEventListener('focusin', ({ target }) => markWriting(target));
  document.addEventListener('focusout', ({ relatedTarget }) => markWriting(relatedTarget));
  look();
}
