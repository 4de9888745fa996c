import { render } from 'preact-render-to-string';
import { renderPage } from './page.tsx';

/** Goes on when every frame has loaded, or after 4 seconds. */
export const nextScript =
  "const go = () => document.getElementById('next').click(); addEventListener('load', go, { once: true }); setTimeout(go, 4000)";

export interface FramesView {
  readonly site: string;
  /** Addresses at which applications end their sessions. */
  readonly frames: readonly string[];
  readonly next:
    | { readonly kind: 'redirect'; readonly url: string }
    | { readonly kind: 'post'; readonly url: string; readonly fields: Readonly<Record<string, string>> };
}

export function renderFrames({ site, frames, next }: FramesView): string {
  return renderPage({
    title: 'Signing out',
    site,
    script: nextScript,
    children: (
      <>
        <h1>You are signed out here</h1>
        <p>We are signing you out of the applications you used. This page then continues by itself.</p>
        {frames.map(url => (
          <iframe key={url} src={url} hidden title="Signing you out of an application" />
        ))}
        {next.kind === 'redirect' ? (
          <div class="actions">
            <a id="next" class="button first" href={next.url}>
              Continue
            </a>
          </div>
        ) : (
          <form method="post" action={next.url} class="actions">
            {Object.entries(next.fields).map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={value} />
            ))}
            <button id="next" class="button first" type="submit">
              Continue
            </button>
          </form>
        )}
      </>
    ),
  });
}

/** The content of a provider's frame when it signs a person out: frames of the applications that they used. Nobody sees it. */
export function renderInnerFrames(frames: readonly string[]): string {
  const html = render(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Signed out</title>
      </head>
      <body>
        <p>Signed out.</p>
        {frames.map(url => (
          <iframe key={url} src={url} hidden title="Signing you out of an application" />
        ))}
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}
