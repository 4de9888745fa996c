// Runs as a classic script before the first paint, so that the reader's choice never flashes; it may import nothing.
interface TrustedTypes {
  createPolicy(name: string, rules: object): { createScriptURL(url: string): string };
}

(() => {
  const key = 'octavo.theme';
  const root = document.documentElement;

  function read(name: string): string | null {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  }

  function keepChoice(theme: string): void {
    try {
      localStorage.setItem(key, theme);
    } catch {
      // With blocked storage the choice applies to this page only.
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

  // Shows "Edit" on a notebook this browser owns, before the first paint so that nothing moves. The edit link is not put on the page.
  const slug = /^\/n\/([a-z0-9-]+)/.exec(location.pathname)?.[1];
  const saved = slug && read(`octavo.notebook.${slug}`);
  if (saved && !saved.includes('"seen":"gone"')) root.dataset.own = '';

  const choice = read(key);
  if (choice === 'dark' || choice === 'light') root.dataset.theme = choice;

  // The service worker loads after everything the page needs. Its address is fixed, whatever the policy is asked for. A page without
  // offline support only updates a worker that is already registered; the new version then removes itself.
  const path = '/sw.js';
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  // A frame that its site sandboxes has the origin `null`, and there the browser throws.
  const { serviceWorker }: Partial<Navigator> = origin === 'null' ? {} : navigator;
  addEventListener('load', () => {
    const url = trustedTypes?.createPolicy('octavo-offline', { createScriptURL: () => path }).createScriptURL('') ?? path;
    const done =
      'worker' in root.dataset ? serviceWorker?.register(url) : serviceWorker?.getRegistration().then(kept => kept?.update());
    done?.catch(() => {});
  });
  addEventListener('online', () => serviceWorker?.controller?.postMessage('online'));

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
