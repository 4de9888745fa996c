import type { ComponentChildren, VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { embedUrls } from '../embed-code.ts';
import type { Typeface } from '../markdown/rendered.ts';
import { urls } from '../urls.ts';
import type { HtmlDocument, ScriptName, Site, StyleName } from './props.ts';

/** The card that chats and sites show for a link (Open Graph, Twitter cards). */
export interface Card {
  readonly path: string;
  readonly title: string;
  readonly description?: string | undefined;
  /** Absent: the picture that reveals nothing about a notebook. */
  readonly picture?: CardPicture | undefined;
}

/** A PNG of 1200 × 630 pixels. */
interface CardPicture {
  readonly path: string;
  readonly alt: string;
}

interface DocumentProps {
  readonly site: Site;
  /** The title of the tab; the product's name is added. */
  readonly title: string;
  readonly description?: string | undefined;
  /** For a shared link; absent: `canonical` with this title and description. */
  readonly card?: Card | undefined;
  /** Address of this page, for which other sites may ask how to embed it (oEmbed). */
  readonly embed?: string | undefined;
  /** The feed that follows this page, with the title that it has itself. */
  readonly feed?: { readonly path: string; readonly title: string } | undefined;
  /** Path of the one address that search engines should know; absent: `noindex`. */
  readonly canonical?: string | undefined;
  readonly styles?: readonly StyleName[];
  readonly scripts?: readonly ScriptName[];
  /** Typefaces that it shows besides the two of all pages. */
  readonly typefaces?: readonly Typeface[] | undefined;
  /** Names the kind of page for the style sheets. */
  readonly kind: string;
  readonly children: ComponentChildren;
}

/** The shell of every page. The theme script is classic and blocking on purpose: a module would paint the wrong colors first. */
export function Document({
  site,
  title,
  description,
  canonical,
  card = canonical === undefined ? undefined : { path: canonical, title, description },
  embed,
  feed,
  styles = ['site'],
  scripts = [],
  typefaces = [],
  kind,
  children,
}: DocumentProps): VNode {
  const { assets } = site;
  const fullTitle = title === 'Octavo' ? title : `${title} · Octavo`;
  return (
    <html
      lang="en"
      data-kind={kind}
      data-worker={site.offline ? '' : undefined}
      data-frames={drawsDiagrams({ kind, scripts }) ? urls.diagram() : undefined}
      data-fit={kind === 'view' ? assets.scripts['fit-to-paper'] : undefined}
    >
      <head>
        <meta charset="utf-8" />
        <title>{fullTitle}</title>
        {/* A phone's keyboard shrinks the editor's page rather than covering it (not on iOS: browser/editor/short-screen.ts). */}
        <meta
          name="viewport"
          content={`width=device-width, initial-scale=1${kind === 'editor' ? ', interactive-widget=resizes-content' : ''}`}
        />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        {description && <meta name="description" content={description} />}
        {canonical ? <link rel="canonical" href={site.publicUrl + canonical} /> : <meta name="robots" content="noindex" />}
        {card && <OpenGraph site={site} card={card} />}
        {feed && <link rel="alternate" type="application/atom+xml" title={feed.title} href={feed.path} />}
        {embed && (
          <link
            rel="alternate"
            type="application/json+oembed"
            title={title}
            href={site.publicUrl + embedUrls.oembedFor(embed, 'json')}
          />
        )}
        {embed && (
          <link rel="alternate" type="text/xml+oembed" title={title} href={site.publicUrl + embedUrls.oembedFor(embed, 'xml')} />
        )}
        {/* Most needed first: the first one gets the connection that is already open. */}
        {styles.map(name => (
          <link key={name} rel="stylesheet" href={assets.styles[name]} />
        ))}
        <script src={assets.scripts.theme} />
        {kind === 'editor' && <EditorScripts assets={assets} />}
        {assets.preloadFonts.map(font => (
          <link
            key={font}
            rel="preload"
            href={font}
            as="font"
            type="font/woff2"
            crossorigin="anonymous"
            // The editor's text has a typeface of its own (`typefaces`), and its script shares a slow line with these.
            fetchpriority={kind === 'editor' ? 'low' : undefined}
          />
        ))}
        {typefaces.map(name => (
          <link
            key={name}
            rel="preload"
            href={assets.fonts[name]}
            as="font"
            type="font/woff2"
            crossorigin="anonymous"
            fetchpriority="low"
          />
        ))}
        <link rel="icon" href={urls.faviconIco()} sizes="32x32" />
        <link rel="icon" href={urls.favicon()} type="image/svg+xml" />
        <link rel="apple-touch-icon" href={urls.touchIcon()} />
        <link rel="manifest" href={urls.manifest()} />
        {kind !== 'editor' && scripts.map(name => <script key={name} type="module" src={assets.scripts[name]} />)}
      </head>
      <body>
        <a class="skip-link" href="#main">
          Skip to the text
        </a>
        {children}
      </body>
    </html>
  );
}

/** On a slow line, the styles that the page's text waits for arrive first. Preact's types know no such attribute of scripts. */
const low = { fetchpriority: 'low' } as const;

function EditorScripts({ assets }: { assets: Site['assets'] }): VNode {
  return (
    <>
      <script type="module" src={assets.scripts.editor} {...low} />
      {assets.editorImports.map(path => (
        <link key={path} rel="modulepreload" href={path} crossorigin="anonymous" {...low} />
      ))}
    </>
  );
}

const plainPicture: CardPicture = { path: urls.card(), alt: 'Octavo: a notebook you can hand to anyone' };

function OpenGraph({ site, card }: { site: Site; card: Card }): VNode {
  const { path, title, description, picture = plainPicture } = card;
  return (
    <>
      <meta property="og:type" content="article" />
      <meta property="og:site_name" content="Octavo" />
      <meta property="og:url" content={site.publicUrl + path} />
      <meta property="og:title" content={title} />
      {description && <meta property="og:description" content={description} />}
      <meta property="og:image" content={site.publicUrl + picture.path} />
      <meta property="og:image:type" content="image/png" />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content={picture.alt} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
}

/** Diagrams are drawn in frames (browser/diagrams). A page shown plain for now may contain some once its rendering replaces it. */
const drawsDiagrams = ({ kind, scripts = [] }: Pick<DocumentProps, 'kind' | 'scripts'>) =>
  kind === 'editor' || scripts.includes('diagrams') || (kind === 'view' && scripts.includes('later'));

/** @param document a `Document` */
export function renderDocument(document: VNode): HtmlDocument {
  return {
    html: `<!doctype html>\n${render(document)}`,
    frames: drawsDiagrams(document.props as unknown as DocumentProps),
  };
}
