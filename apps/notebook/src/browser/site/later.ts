import { requireElement } from '../ui/require-element.ts';
import { type Answer, askAgain } from './ask-again.ts';
import { saveScrollPosition } from './save-scroll-position.ts';

// The text is plain for now, because the service is busy. This asks the same address until the page is rendered, and shows it in place.
// A comment being written, unfolded details and the reader's place stay as they are.

/** Seconds between requests, times 0.5 to 1.5 so that readers who came together spread out. After the last only the link is left. */
const pauses = [2, 3, 5, 8, 13, 20, 30, 30, 60, 60, 60];

const notice = requireElement<HTMLElement>('[data-later]');
const words = requireElement<HTMLElement>('[data-later-words]');
const link = requireElement<HTMLAnchorElement>('[data-later] a');
const status = document.createElement('p');
status.className = 'visually-hidden';
status.role = 'status';
document.body.append(status);

let asked = 0;
let etag: string | undefined;
/** When to ask, and until when the service asked us to wait, both as in `Date.now()`. */
let due = 0;
let notBefore = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let state: 'waits' | 'asks' | 'over' = 'waits';
/** The rendered page, if it came while the reader was selecting something. */
let ready: Document | undefined;
/** Screen readers are told only once. */
let isAnnounced = false;

function plan(): void {
  const pause = pauses[asked];
  due = pause === undefined ? Number.POSITIVE_INFINITY : Date.now() + pause * 1_000 * (0.5 + Math.random());
  words.textContent = pause === undefined ? 'It isn’t rendered yet.' : 'We’ll show it here as soon as it’s rendered.';
  wake();
}

/** Schedules the next request, but none while the page is hidden. */
function wake(): void {
  clearTimeout(timer);
  const at = Math.max(due, notBefore);
  if (state === 'waits' && !document.hidden && at < Number.POSITIVE_INFINITY) timer = setTimeout(ask, at - Date.now());
}

async function ask(): Promise<void> {
  clearTimeout(timer);
  state = 'asks';
  asked += 1;
  take(await askAgain(etag));
}

function take(answer: Answer): void {
  if (answer.kind === 'waits') {
    state = 'waits';
    etag = answer.etag ?? etag;
    notBefore = Date.now() + answer.seconds * 1_000;
    plan();
    return;
  }
  state = 'over';
  if (answer.kind === 'gone') {
    words.textContent = 'It can’t be loaded again.';
    link.remove();
  } else if (sheetsOf(answer.page) !== sheetsOf(document)) {
    // Another release rendered the page. Its styles need a reload, which is for the reader to decide.
    tellReady();
  } else {
    ready = answer.page;
    showWhenFree();
    if (ready) tellReady();
  }
}

function tellReady(): void {
  words.textContent = 'The rendered page is ready.';
  announce(words.textContent);
}

function announce(sentence: string): void {
  if (!isAnnounced) status.textContent = sentence;
  isAnnounced = true;
}

const sheetsOf = (page: Document) =>
  [...page.querySelectorAll('link[rel=stylesheet]')].map(sheet => sheet.getAttribute('href')).join();

/** True while the reader selects or presses something that the replacement would remove. */
function isHeld(): boolean {
  const selection = getSelection();
  const parts = [...document.querySelectorAll('.sheet-head, .prose')];
  const range = selection && !selection.isCollapsed && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined;
  return parts.some(part => range?.intersectsNode(part) || part.matches(':active'));
}

function showWhenFree(): void {
  if (ready && !isHeld()) show(ready);
}

function show(page: Document): void {
  ready = undefined;
  const top = scrollY === 0;
  const isFocusLost = [...document.querySelectorAll('.sheet-head, [data-later], .prose')].some(part =>
    part.matches(':focus-within'),
  );
  const restorePosition = saveScrollPosition();
  for (const part of ['.sheet-head', '.prose', '.sheet-foot']) replace(document.querySelector(part), page.querySelector(part));
  replace(notice, page.querySelector('.sheet > .notice'));
  const contents = page.querySelector('.toc-beside');
  if (contents) document.querySelector('.reader')?.append(contents);
  document.title = page.title;
  dispatchEvent(new Event('octavo-rendered'));
  restorePosition();
  if (isFocusLost) requireElement<HTMLElement>('#main').focus({ preventScroll: true });
  // The heading that the address names exists only now.
  if (top && location.hash !== '') dispatchEvent(new Event('hashchange'));
  announce('The page is rendered now.');
  void loadScripts(page);
  navigator.serviceWorker?.controller?.postMessage('rendered');
}

function replace(old: Element | null, next: Element | null): void {
  if (old?.matches('.sheet-foot:focus-within')) return;
  if (next) old?.replaceWith(next);
  else old?.remove();
}

/** Loads scripts the plain page did not need, for opening pictures large and drawing diagrams. */
async function loadScripts(page: Document): Promise<void> {
  const sources = [...page.querySelectorAll('head > script[type=module]')].map(script => script.getAttribute('src') ?? '');
  for (const source of sources)
    if (source.startsWith('/assets/') && !document.querySelector(`script[src="${CSS.escape(source)}"]`))
      await import(/* @vite-ignore */ source).catch(() => {});
}

async function press(): Promise<void> {
  status.textContent = '';
  if (Date.now() >= notBefore) await ask();
  if (state === 'waits') status.textContent = 'It isn’t rendered yet.';
}

link.addEventListener('click', event => {
  if ((state === 'over' && !ready) || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (ready) {
    show(ready);
    return;
  }
  if (state === 'waits') void press();
});
for (const event of ['selectionchange', 'pointerup', 'pointercancel'])
  document.addEventListener(event, () => setTimeout(showWhenFree));
document.addEventListener('visibilitychange', wake);
// A page kept for reading offline does not change.
if (!('offline' in document.documentElement.dataset)) plan();
