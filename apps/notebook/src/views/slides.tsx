import { Document, renderDocument } from './document.tsx';
import { PageBody } from './page-body.tsx';
import type { HtmlDocument, NotebookHead, RenderedPage, Site } from './props.ts';

export interface SlidesProps {
  readonly notebook: NotebookHead;
  readonly page: RenderedPage;
  /** Path of the page's view. */
  readonly back: string;
}

/**
 * A page as slides, split at `---`. Without a script it is the page itself, one slide below the other; browser/site/slides.ts shows one at
 * a time.
 */
export function renderSlides(site: Site, { notebook, page, back }: SlidesProps): HtmlDocument {
  return renderDocument(
    <Document
      site={site}
      title={page.title === notebook.title ? notebook.title : `${page.title} · ${notebook.title}`}
      styles={['site', 'slides']}
      scripts={page.diagrams ? ['reader', 'slides', 'diagrams'] : ['reader', 'slides']}
      kind="slides"
    >
      <main id="main" class="slides" tabindex={-1}>
        <PageBody page={page} address={slidesOf(back)} />
      </main>
      <nav class="slides-bar" aria-label="Slides">
        <a class="button quiet" href={back} data-slides-back>
          Back to the page
        </a>
        <span class="slides-steps" data-slides-steps>
          <button type="button" class="button quiet" data-slides-previous>
            Previous
          </button>
          <span data-slides-place role="status" />
          <button type="button" class="button quiet" data-slides-next>
            Next
          </button>
          <button type="button" class="button quiet" data-slides-full>
            Full screen
          </button>
        </span>
      </nav>
    </Document>,
  );
}

/** `?slides` on the view of a page. */
export const slidesOf = (view: string): string => `${view}?slides`;
