import { copyText } from '../device/copy-text.ts';

const saidMilliseconds = 2_000;

/** Adds a copy button to each code block. The result is shown on the button and announced to screen readers. */
export function addCopyButtons(root: ParentNode): void {
  const status = document.createElement('p');
  status.className = 'visually-hidden';
  status.role = 'status';
  document.body.append(status);
  for (const pre of root.querySelectorAll<HTMLElement>('.prose pre:has(> code)')) {
    const box = document.createElement('div');
    box.className = 'code-box';
    pre.before(box);
    box.append(pre, copyButton(pre, status));
  }
}

function copyButton(pre: HTMLElement, status: HTMLElement): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button copy-code';
  button.textContent = 'Copy';
  button.ariaLabel = 'Copy the code';
  button.addEventListener('click', async () => {
    const copied = await copyText((pre.querySelector('code') ?? pre).textContent ?? '');
    button.textContent = copied ? 'Copied' : 'Not copied';
    status.textContent = copied ? 'The code is copied.' : 'The browser did not let the code be copied.';
    setTimeout(() => {
      button.textContent = 'Copy';
      status.textContent = '';
    }, saidMilliseconds);
  });
  return button;
}
