import type { ComponentChildren, VNode } from 'preact';
import { urls } from '../urls.ts';

/** Three leaves folded from one sheet: the product's mark. */
export function Mark(): VNode {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
      <path d="M12 5.2C9.8 3.6 6.9 3 3.5 3v15.2c3.4 0 6.3.6 8.5 2.3 2.2-1.7 5.1-2.3 8.5-2.3V3c-3.4 0-6.3.6-8.5 2.2Z" />
      <path d="M12 5.2v15.3" />
      <path d="M15.2 8.3c1.2-.4 1.6-.5 2.6-.6M15.2 11.5c1.2-.4 1.6-.5 2.6-.6" />
    </svg>
  );
}

/** Hidden when no script runs (base.css): without one it would do nothing. If it appeared late, it would push its neighbors aside. */
export function ThemeButton(): VNode {
  return (
    <button
      type="button"
      class="button quiet icon"
      data-theme-button
      aria-pressed="false"
      aria-label="Dark mode"
      title="Dark mode"
    >
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
        <circle cx="12" cy="12" r="8.25" />
        <path class="filled" d="M12 3.75a8.25 8.25 0 0 1 0 16.5Z" />
      </svg>
    </button>
  );
}

export function SiteHeader({ children }: { children?: ComponentChildren }): VNode {
  return (
    <header class="site-header">
      <a class="wordmark" href={urls.home()}>
        <Mark />
        <span>Octavo</span>
      </a>
      <div class="site-header-actions">
        {children}
        <ThemeButton />
      </div>
    </header>
  );
}

export function SiteFooter({ children }: { children?: ComponentChildren }): VNode {
  return (
    <footer class="site-footer">
      {children}
      <p>
        <a href={urls.home()}>Octavo</a>: notebooks of Markdown, shared by link, without accounts.
      </p>
    </footer>
  );
}
