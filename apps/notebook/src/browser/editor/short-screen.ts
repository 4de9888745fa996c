import { watchTextSize } from './text-size.ts';

/**
 * Below this height in CSS pixels, at the usual size of text, the text would get only a few lines: on a phone held sideways or with its
 * keyboard open.
 */
const shortBelow = 480;
/** Below this height there is no room for the find panel, the bars above it and a few lines of the text. */
const tinyBelow = 360;
/** From this width in CSS pixels, at the usual size of text, the editor has its wide layout. */
const wideFrom = 1_024;
const usualTextSize = 16;

/**
 * Tells the style sheet how much of the window is visible. iOS puts its keyboard over the page and shifts the page; only the visual
 * viewport shows that.
 */
export function watchScreen(): void {
  const seen = window.visualViewport;
  if (!seen) return;
  const root = document.documentElement;
  const markWriting = (focused: EventTarget | null): void => {
    root.toggleAttribute('data-writing', focused instanceof Element && focused.closest('.page-editor') !== null);
  };
  const look = (): void => {
    // A person who zooms in wants to see a part larger, not another layout.
    const [width, height] = [seen.width * seen.scale, seen.height * seen.scale];
    // Who reads text at twice the size needs twice the room, and the style sheet's widths are in `rem` too.
    const textSize = Number.parseFloat(getComputedStyle(root).fontSize) / usualTextSize;
    root.toggleAttribute('data-short', height < shortBelow * textSize && width < wideFrom * textSize);
    root.toggleAttribute('data-tiny', height < tinyBelow * textSize);
    root.style.setProperty('--seen-height', `${height}px`);
    root.style.setProperty('--seen-top', `${seen.scale > 1 ? 0 : seen.offsetTop}px`);
    markWriting(document.activeElement);
  };
  seen.addEventListener('resize', look);
  seen.addEventListener('scroll', look);
  watchTextSize(look);
  document.addEventListener('focusin', ({ target }) => markWriting(target));
  document.addEventListener('focusout', ({ relatedTarget }) => markWriting(relatedTarget));
  look();
}
