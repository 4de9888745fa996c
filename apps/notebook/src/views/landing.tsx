import type { VNode } from 'preact';
import { urls } from '../urls.ts';
import { Document, renderDocument } from './document.tsx';
import type { FooterLink, HtmlDocument, Site } from './props.ts';
import { SiteFooter, SiteHeader } from './site-header.tsx';
import { StartButtons } from './start-buttons.tsx';

export interface LandingProps {
  readonly title: string;
  readonly description: string;
  /** Rendered and sanitized like any text. */
  readonly html: string;
  readonly path: string;
  /** The other topics. */
  readonly links: readonly FooterLink[];
}

export function renderLanding(site: Site, { title, description, html, path, links }: LandingProps): HtmlDocument {
  return renderDocument(
    <Document site={site} title={title} description={description} canonical={path} kind="landing">
      <SiteHeader>
        <a class="button quiet" href={urls.search()}>
          Search
        </a>
      </SiteHeader>
      <main id="main" class="sheet paper-plain landing" tabindex={-1}>
        <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />
        <StartButtons />
      </main>
      <SiteFooter>
        <FooterLinks links={links} />
      </SiteFooter>
    </Document>,
  );
}

/** The topic pages and the search, in the footer of pages that do not belong to a notebook. */
export function FooterLinks({ links }: { links: readonly FooterLink[] }): VNode {
  return (
    <nav class="foot-links" aria-label="More about Octavo">
      <ul>
        {links.map(({ href, title }) => (
          <li key={href}>
            <a href={href}>{title}</a>
          </li>
        ))}
        <li>
          <a href={urls.search()}>Search public notebooks</a>
        </li>
      </ul>
    </nav>
  );
}
