import type { Scheme } from './drawing.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');

/** The page's current scheme: the reader's choice, else the system's. The print view is always light, like paper. */
export function pageScheme(): Scheme {
  const { kind, theme } = document.documentElement.dataset;
  if (kind === 'print') return 'light';
  return (theme ? theme === 'dark' : dark.matches) ? 'dark' : 'light';
}

export function onSchemeChange(listener: () => void): void {
  new MutationObserver(listener).observe(document.documentElement, { attributeFilter: ['data-theme'] });
  dark.addEventListener('change', listener);
}
