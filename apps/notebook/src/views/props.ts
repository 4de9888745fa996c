import type { Heading, PageFacts, PlainReason, Typeface } from '../markdown/rendered.ts';
import type { Lifecycle, Paper, Visibility } from '../model/notebook.ts';

/**
 * The props that routes pass to views: `renderX(site, props)` returns a complete HTML document.
 *
 * The documents contain no inline script and no inline style. Besides `script-src 'self'; style-src 'self'; font-src 'self'; worker-src
 * 'self'; connect-src 'self'; img-src 'self' data: https:` and the origin of our images, they need the policy `require-trusted-types-for
 * 'script'; trusted-types octavo-preview octavo-worker` (see browser/device/trusted-types.ts).
 */
export interface Site {
  /** Base of absolute links, without a trailing slash: `https://notes.example`. */
  readonly publicUrl: string;
  /** Where notebooks' images are fetched from: `https://images.example`; absent: image uploads are off. */
  readonly imageOrigin?: string | undefined;
  /** Browsers may keep pages for reading offline: pages load the service worker. */
  readonly offline?: boolean | undefined;
  readonly assets: AssetUrls;
}

/** Addresses of the built files, with hashes; `readAssetUrls` in http/files/assets.ts makes them from the build's manifest. */
export interface AssetUrls {
  readonly styles: Readonly<Record<StyleName, string>>;
  readonly scripts: Readonly<Record<ScriptName, string>>;
  /** The two typefaces that nearly every page shows at once. */
  readonly preloadFonts: readonly string[];
  /** The modules that the editor's script imports before it can run: requested with it, not a round trip later. */
  readonly editorImports: readonly string[];
  /** Typefaces that only some pages show. */
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
  'fit-to-paper',
  'slides',
  'once',
  'unlock',
  'later',
  'zoom',
  'own-edit',
  'editor',
  'diagrams',
  'diagram-frame',
] as const;
export type ScriptName = (typeof scriptNames)[number];

/** Frequently asked questions (content/faq.json). */
export interface Question {
  readonly question: string;
  readonly answer: string;
}

/** One of the topic pages, as a page's footer links to it. */
export interface FooterLink {
  readonly href: string;
  readonly title: string;
}

export interface HomeProps {
  /** The owner has just deleted a notebook and was sent here. */
  readonly deleted: boolean;
  readonly questions?: readonly Question[];
  /** The topic pages. */
  readonly links?: readonly FooterLink[];
}

export type NewNotebookProps = Record<string, never>;
export type QuickProps = Record<string, never>;

/** A complete HTML text, and what its security policy depends on. */
export interface HtmlDocument {
  readonly html: string;
  /** The page draws diagrams, in frames. */
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
  /** The title is the text's first line, so it need not be seen a second time. */
  readonly titleInText?: boolean | undefined;
  /** Sanitized by the renderer; goes into the document as it is. */
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly facts: PageFacts;
  /** The page has a code fence that the reader's browser draws. */
  readonly diagrams?: true | undefined;
  readonly updatedAt: number;
  /** BCP 47, detected from its words. */
  readonly language?: string | undefined;
  readonly direction?: 'rtl' | undefined;
  readonly plain?: PlainReason | undefined;
}

/** Drawn before the page around them. */
export interface DrawnComments {
  readonly count: number;
  /** A list item for each. */
  readonly html: string;
}

export interface ViewProps {
  readonly notebook: NotebookHead;
  readonly pages: readonly (PageLink & { readonly current: boolean })[];
  readonly page: RenderedPage;
  /** The first words of the text, after its title; '' if it has none. */
  readonly description: string;
  readonly previous?: PageLink | undefined;
  readonly next?: PageLink | undefined;
  readonly links: {
    readonly print: string;
    readonly markdown: string;
    readonly epub: string;
    /** Only with open editing: where a reader may write. */
    readonly edit?: string | undefined;
  };
  /** Absent when the owner has switched comments off. */
  readonly comments?: DrawnComments | undefined;
  /** For the one reader of a notebook that opens once. */
  readonly once?: { readonly until: number; readonly markdown: string } | undefined;
  /** True for public notebooks; everything else gets `noindex`. */
  readonly listed: boolean;
  /** Anyone with the link may read it: a preview of the link may show title and first lines. */
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
  /** The title sheet shows the view link only when anyone with it may read: not for a notebook that is private, locked or opens once. */
  readonly viewLinkOpens?: boolean | undefined;
  /** For the owner of a notebook whose view link leads nobody to it: the way back is the editor. */
  readonly forOwner?: boolean | undefined;
  /** A single page, without title sheet and contents. */
  readonly onlyPage?: boolean | undefined;
}

export interface PrintProps extends PrintedNotebook {
  /** Each is rendered with its own id prefix, because they share one document. */
  readonly pages: readonly Pick<
    RenderedPage,
    'id' | 'title' | 'titleInText' | 'html' | 'headings' | 'diagrams' | 'language' | 'direction' | 'plain'
  >[];
}

/** A page's data for the title sheet and the contents. */
export interface PrintOutline {
  readonly id: string;
  readonly title: string;
  /** Its entry in the contents, already drawn: drawing 200 headings of 200 pages at once would take a second. */
  readonly listed: string;
  readonly hasDiagrams: boolean;
}

export interface PrintFrameProps extends PrintedNotebook {
  readonly pages: readonly PrintOutline[];
}

/** The text that the editor's page shows until its script has the notebook. */
export interface OpeningText {
  readonly title: string;
  /** The titles of the first pages. */
  readonly pages: readonly string[];
  /** The start of the first page's Markdown. */
  readonly text: string;
  /** The notebook as the API answers it, in JSON: a small one opens without a further request. */
  readonly notebook?: string | undefined;
}

export interface EditorProps {
  /** Known on `/edit/{slug}`; on `/e/{token}`, the script gets it from the API. */
  readonly slug?: string | undefined;
  /**
   * `token`: the edit token is in the address. `stored`: it is in the browser's local storage, or the person is asked for it. `visitor`:
   * there is none; open editing lets anyone with the view link change content.
   */
  readonly mode: 'token' | 'stored' | 'visitor';
  readonly lifecycle?: Lifecycle | undefined;
  /** Only with the edit token: the page may then show what the token may read. */
  readonly opening?: OpeningText | undefined;
}

export interface ErrorProps {
  readonly status: number;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly code?: string | undefined;
  /** The path of a notebook that the reader may see; only the part of it that was asked for is missing. */
  readonly notebook?: string | undefined;
  /** The path that was asked for, whether or not there is such a notebook. */
  readonly address?: string | undefined;
}
