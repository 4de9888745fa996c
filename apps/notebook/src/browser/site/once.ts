import { limits } from '../../limits.ts';
import { copyWhenReady } from '../device/copy-text.ts';
import { requireElement } from '../ui/require-element.ts';

const box = requireElement<HTMLElement>('[data-once]');
const left = requireElement<HTMLElement>('[data-once-left]');
const status = requireElement<HTMLElement>('[data-once-said]');
const copy = requireElement<HTMLButtonElement>('[data-once-copy]');
const until = Number(box.dataset.once);

/** How far this device's clock is behind the server's, in milliseconds. A HEAD request is enough, because the page is already here. */
async function clockLag(): Promise<number> {
  const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
  const told = Date.parse(answer?.headers.get('date') ?? '');
  return Number.isNaN(told) ? 0 : told - Date.now();
}

function leftWords(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return `${minutes}:${String(rest).padStart(2, '0')} left.`;
}

let isEndNear = false;

/** Counts down. In the last minute and at the end it is also announced to people who do not see it. */
function countDown(lag: number): void {
  // The `Date` header has whole seconds.
  const seconds = Math.min(limits.readerCookieMinutes * 60, Math.max(0, Math.ceil((until - Date.now() - lag) / 1_000)));
  left.textContent = seconds > 0 ? leftWords(seconds) : 'The time is over: this page can’t be loaded again.';
  if (seconds === 0) {
    status.textContent = left.textContent;
    // A button that is `disabled` would lose the focus.
    copy.ariaDisabled = 'true';
    box.dataset.over = '';
    return;
  }
  // The browser may let a timer wait, in a tab that is not seen for a minute: no second is sure to be counted.
  if (seconds <= 60 && !isEndNear) {
    isEndNear = true;
    status.textContent = seconds === 60 ? 'One minute left.' : 'Less than one minute left.';
  }
  setTimeout(() => countDown(lag), 1_000);
}

async function fetchText(): Promise<string> {
  const answer = await fetch(box.dataset.onceMarkdown!, { cache: 'no-store' });
  if (!answer.ok) throw new Error('The text is no longer available.');
  return answer.text();
}

copy.addEventListener('click', async () => {
  const copied = !('over' in box.dataset) && (await copyWhenReady(fetchText()));
  copy.textContent = copied ? 'Copied' : 'Not copied';
  status.textContent = copied
    ? 'The text is copied, as Markdown.'
    : 'The text could not be copied. Select it and copy it by hand.';
  setTimeout(() => {
    copy.textContent = 'Copy the text';
  }, 2_500);
});
copy.disabled = false;
void clockLag().then(countDown);
