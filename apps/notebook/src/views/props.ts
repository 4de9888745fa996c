import type { Heading, PageFacts, PlainReason, Typeface } from '../markdown/rendered.ts';
import type { Lifecycle, Paper, Visibility } from '../model/notebook.ts';

/**
 * What the routes hand to the views: `renderX(site, props)` answers a complete HTML document.
 *
 * The documents hold no inline script and no inline style. Beside `script-src 'self'; style-src 'self'; font-src 'self';
 * worker-src 'self'; connect-src 'self'; img-src 'self' data: https:` and the origin of our images they need the policy
 * `require-trusted-types-for 'script'; trusted-types octavo-preview octavo-worker` (see browser/device/trusted-types.ts).
 */
export interface Site {
  /** Base of absolute links, without a slash at its end: `https://notes.example`. */
  readonly publicUrl: string;
  /** Where the images of notebooks are fetched: `https://images.example`; absent: image upload is off. */
  readonly imageOrigin?: string | undefined;
  /** Browsers may keep pages to be read offline: pages bring the service worker. */
  readonly offline?: boolean | undefined;
  readonly assets: AssetUrls;
}

/** Addresses of the built files, hashed; `readAssetUrls` in http/assets.ts makes them from the build's manifest. */
export interface AssetUrls {
  readonly styles: Readonly<Record<StyleName, string>>;
  readonly scripts: Readonly<Record<ScriptName, string>>;
  /** The two typefaces that nearly every page shows at once. */
  readonly preloadFonts: readonly string[];
  /** Those that some pages show. */
  readonly fonts: Readonly<Record<Typeface, string>>;
}

export const styleNames = ['site', 'print', 'slides', 'editor'] as const;
export type StyleName = (typeof styleNames)[number];

/** `theme` is a classic script that runs before the first paint; the others are modules. */
export const scriptNames = [
  'theme',
  'home',
  'new-notebook',
  'quick',
  'reader',
  'book',
  'slides',
  'once',
  'later',
  'zoom',
  'editor',
  'diagrams',
  'diagram-frame',
] as const;
export type ScriptName = (typeof scriptNames)[number];

/** What people ask before they begin (content/faq.json). */
export interface Question {
  readonly question: string;
  readonly answer: string;
}

/** One of the topic pages, as the foot of a page links it. */
export interface FootLink {
  readonly href: string;
  readonly title: string;
}

export interface HomeProps {
  /** The owner has just deleted a notebook and was sent here. */
  readonly deleted: boolean;
  readonly questions?: readonly Question[];
  /** The topic pages. */
  readonly links?: readonly FootLink[];
}

export type NewNotebookProps = Record<string, never>;
export type QuickProps = Record<string, never>;

/** A complete HTML text, and what the policy of its answer depends on. */
export interface HtmlDocument {
  readonly html: string;
  /** It draws diagrams, in frames. */
  readonly frames: boolean;
}

export interface NotebookHead {
  readonly slug: string;
  readonly title: string;
  readonly visibility: Visibility;
  readonly paper: Paper;
  /** Milliseconds since 1970 UTC, like every time here. */
  readonly updatedAt: number;
  readonly expiresAt: number | null;
  readonly pageCount: number;
  readonly version: number;
}

export interface PageLink {
  readonly id: string;
  readonly title: string;
  readonly href: string;
}

export interface RenderedPage {
  readonly id: string;
  readonly title: string;
  /** Sanitized by the renderer; goes into the document as it is. */
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly facts: PageFacts;
  /** It has a fence that the reader's browser draws. */
  readonly diagrams?: true | undefined;
  readonly updatedAt: number;
  /** BCP 47, by its words. */
  readonly language?: string | undefined;
  readonly direction?: 'rtl' | undefined;
  readonly plain?: PlainReason | undefined;
}

/** Drawn before the page around them. */
export interface DrawnComments {
  readonly count: number;
  /** An item of a list each. */
  readonly html: string;
}

export interface ViewProps {
  readonly notebook: NotebookHead;
  readonly pages: readonly (PageLink & { readonly current: boolean })[];
  readonly page: RenderedPage;
  readonly previous?: PageLink | undefined;
  readonly next?: PageLink | undefined;
  readonly links: {
    readonly print: string;
    readonly markdown: string;
    readonly epub: string;
    /** Only under open editing: where a reader may write. */
    readonly edit?: string | undefined;
  };
  /** Absent when the owner has switched comments off. */
  readonly comments?: DrawnComments | undefined;
  /** For the one reader of a notebook that opens once. */
  readonly once?: { readonly until: number; readonly markdown: string } | undefined;
  /** True for public notebooks; everything else gets `noindex`. */
  readonly listed: boolean;
  /** Whoever has the link may read it: a shown link may tell title and first lines. */
  readonly shared: boolean;
  /** Other sites may show it in a frame. */
  readonly framed: boolean;
}

export interface EmbedProps {
  readonly notebook: NotebookHead;
  readonly page: RenderedPage;
  readonly pages: readonly (PageLink & { readonly current: boolean })[];
}

interface PrintedNotebook {
  readonly notebook: NotebookHead;
  /** Whoever has the view link reads it, so the title sheet shows the link: not of what is private, locked or opens once. */
  readonly viewLinkOpens?: boolean | undefined;
  /** One page by itself: without title sheet and contents. */
  readonly onlyPage?: boolean | undefined;
}

export interface PrintProps extends PrintedNotebook {
  /** Rendered with an id prefix of their own each, because they share one document. */
  readonly pages: readonly Pick<
    RenderedPage,
    'id' | 'title' | 'html' | 'headings' | 'diagrams' | 'language' | 'direction' | 'plain'
  >[];
}

/** What the title sheet and the contents say of a page. */
export interface PrintOutline {
  readonly id: string;
  readonly title: string;
  /** Its place in the contents, drawn: 200 headings of 200 pages at once would take a second. */
  readonly listed: string;
  readonly hasDiagrams: boolean;
}

export interface PrintFrameProps extends PrintedNotebook {
  readonly pages: readonly PrintOutline[];
}

export interface EditorProps {
  /** Known on `/edit/{slug}`; on `/e/{token}` the script learns it from the API. */
  readonly slug?: string | undefined;
  /**
   * `token`: the edit token is in the address. `stored`: it is in the browser's local storage, or asked for. `visitor`: there is
   * none; open editing lets anyone with the view link change content.
   */
  readonly mode: 'token' | 'stored' | 'visitor';
  readonly lifecycle?: Lifecycle | undefined;
}

export interface ErrorProps {
  readonly status: number;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly code?: string | undefined;
}
