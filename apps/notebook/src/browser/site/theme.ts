// Runs as a classic script before the first paint, so that the reader's choice never flashes; it may import nothing.
(() => {
  const key = 'octavo.theme';
  const root = document.documentElement;

  function readChoice(): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  function keepChoice(theme: string): void {
    try {
      localStorage.setItem(key, theme);
    } catch {
      // Storage is blocked: the choice holds for this page.
    }
  }

  function isDark(): boolean {
    return root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  }

  function showState(): void {
    for (const button of document.querySelectorAll<HTMLElement>('[data-theme-button]')) {
      button.setAttribute('aria-pressed', String(isDark()));
    }
  }

  const choice = readChoice();
  if (choice === 'dark' || choice === 'light') root.dataset.theme = choice;

  document.addEventListener('DOMContentLoaded', showState);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', showState);
  document.addEventListener('click', event => {
    if (!(event.target instanceof Element && event.target.closest('[data-theme-button]'))) return;
    const theme = isDark() ? 'light' : 'dark';
    root.dataset.theme = theme;
    keepChoice(theme);
    showState();
  });
})();
