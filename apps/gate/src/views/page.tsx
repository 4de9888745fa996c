import type { ComponentChildren } from 'preact';
import { render } from 'preact-render-to-string';
import { urls } from '../urls.ts';

/** A whole document. No script runs on it unless `script` is given, and it loads nothing from elsewhere. */
export function renderPage(parts: { title: string; site: string; children: ComponentChildren; script?: string }): string {
  const html = render(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{`${parts.title} · ${parts.site}`}</title>
        <link rel="stylesheet" href={urls.styles} />
      </head>
      <body>
        <main>
          <p class="site">{parts.site}</p>
          {parts.children}
        </main>
        {parts.script !== undefined && <script dangerouslySetInnerHTML={{ __html: parts.script }} />}
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}
