import { requireElement } from '../ui/require-element.ts';

// Without this script the slides are shown below each other. It shows one at a time.
const prose = requireElement<HTMLElement>('.prose');
const place = requireElement<HTMLElement>('[data-slides-place]');
const back = requireElement<HTMLAnchorElement>('[data-slides-back]');
const previous = requireElement<HTMLButtonElement>('[data-slides-previous]');
const next = requireElement<HTMLButtonElement>('[data-slides-next]');
const full = requireElement<HTMLButtonElement>('[data-slides-full]');

/** Splits at top-level horizontal rules. Rules inside quotes and lists do not separate slides. */
function makeSlides(): HTMLElement[] {
  const slides: HTMLElement[] = [document.createElement('section')];
  for (const node of [...prose.childNodes]) {
    if (node instanceof HTMLHRElement) {
      node.remove();
      slides.push(document.createElement('section'));
    } else slides.at(-1)!.append(node);
  }
  const filled = slides.filter(slide => slide.childElementCount > 0 || slide.textContent.trim() !== '');
  const shown = filled.length > 0 ? filled : [slides[0]!];
  for (const slide of shown) slide.className = 'slide';
  prose.append(...shown);
  return shown;
}

const slides = makeSlides();
let current = 0;

function show(index: number): void {
  current = Math.max(0, Math.min(slides.length - 1, index));
  for (const [at, slide] of slides.entries()) slide.toggleAttribute('data-current', at === current);
  slides[current]!.scrollTop = 0;
  place.textContent = `${current + 1} of ${slides.length}`;
  const focused = document.activeElement;
  previous.disabled = current === 0;
  next.disabled = current === slides.length - 1;
  // A disabled button loses the focus, and a screen reader its place.
  if (focused === previous && previous.disabled) next.focus();
  if (focused === next && next.disabled) previous.focus();
  // A reload or a shared address comes back to the same slide.
  history.replaceState(null, '', `#${current + 1}`);
}

function nameInAddress(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

/** Shows the slide with the number in the address, or the one that contains the link's target. */
function followAddress(): void {
  const name = nameInAddress();
  const number = /^\d{1,6}$/.test(name) ? Number(name) - 1 : undefined;
  const target = number === undefined && name !== '' ? document.getElementById(name) : null;
  show(number ?? Math.max(0, target ? slides.findIndex(slide => slide.contains(target)) : 0));
  // In a long slide the target may be further down.
  target?.scrollIntoView();
}

/**
 * Scrolls a slide that is longer than the window, as most are for a reader who enlarged the text, and at its end goes on to the next.
 * @param share of the window; below 0 it goes back
 */
function scrollOn(share: number): void {
  const { scrollTop, scrollHeight, clientHeight } = slides[current]!;
  const hidden = share > 0 ? scrollHeight - clientHeight - scrollTop : scrollTop;
  // Heights are rounded.
  if (hidden > 1) slides[current]!.scrollBy({ top: share * clientHeight });
  else show(current + Math.sign(share));
}

const steps: Readonly<Record<string, () => void>> = {
  ArrowRight: () => show(current + 1),
  ArrowDown: () => scrollOn(0.15),
  PageDown: () => scrollOn(0.9),
  ' ': () => scrollOn(0.9),
  ArrowLeft: () => show(current - 1),
  ArrowUp: () => scrollOn(-0.15),
  PageUp: () => scrollOn(-0.9),
  Home: () => show(0),
  End: () => show(slides.length - 1),
  f: () => void toggleFullScreen(),
  // In full screen the browser uses the first Escape itself.
  Escape: () => back.click(),
};

/** True for letters pressed away from the buttons: dictated words would press them (WCAG 2.1.4). */
function isStrayLetter({ key, target }: KeyboardEvent): boolean {
  return /^\p{L}$/u.test(key) && !(target instanceof Element && target.closest('[data-slides-steps]'));
}

/** True for keys that the focused element needs: Space on a button, arrows in a wide table. */
function isNeededByFocus(event: KeyboardEvent): boolean {
  if (!(event.target instanceof Element) || event.key === 'Escape') return false;
  const control = event.target.closest('a, button, summary, input, select, textarea, [tabindex="0"]');
  if (!control) return false;
  return event.key === ' ' || (control.matches('[tabindex="0"]') && /^(?:Arrow|Page|Home|End)/.test(event.key));
}

addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || isNeededByFocus(event) || isStrayLetter(event)) return;
  const step = event.key === ' ' && event.shiftKey ? steps.PageUp : steps[event.key];
  if (!step) return;
  event.preventDefault();
  step();
});

/** In CSS pixels. A shorter movement is a tap, a steeper one is scrolling. */
const leastSwipe = 50;
let touched: { readonly x: number; readonly y: number } | undefined;
addEventListener('touchstart', ({ touches }) => {
  touched = touches.length === 1 ? { x: touches[0]!.clientX, y: touches[0]!.clientY } : undefined;
});
addEventListener('touchend', ({ changedTouches, target }) => {
  const end = changedTouches[0];
  if (!touched || !end || (target instanceof Element && target.closest('[tabindex="0"]'))) return;
  const [x, y] = [end.clientX - touched.x, end.clientY - touched.y];
  touched = undefined;
  if (Math.abs(x) >= leastSwipe && Math.abs(x) > 2 * Math.abs(y)) show(current + (x < 0 ? 1 : -1));
});

async function toggleFullScreen(): Promise<void> {
  try {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await document.documentElement.requestFullscreen();
  } catch {
    // If the browser does not allow full screen, the slides fill the window.
  }
}

previous.addEventListener('click', () => show(current - 1));
next.addEventListener('click', () => show(current + 1));
full.hidden = !document.fullscreenEnabled;
full.addEventListener('click', () => void toggleFullScreen());
addEventListener('hashchange', followAddress);
followAddress();
document.documentElement.dataset.slides = 'ready';
