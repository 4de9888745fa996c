import type { Heading } from '../markdown/rendered.ts';
import { imageMedia } from './epub-media.ts';
import type { NotebookHead } from './props.ts';
import { escapeXml, titleInXml } from './xml.ts';

/** The package's description of the book. */
export interface BookFacts {
  readonly notebook: NotebookHead;
  /** A URN that stays the same when the book changes. */
  readonly identifier: string;
  /** The view link, if anyone who has it may read. */
  readonly source?: string | undefined;
}

export interface BookPage {
  /** Within the package folder: `page-1.xhtml`. */
  readonly file: string;
  readonly title: string;
  /** The headings in its table of contents: `listedHeadings`. */
  readonly headings: readonly Heading[];
  readonly hasMath: boolean;
  /** BCP 47; absent when it cannot be told from the words. */
  readonly language?: string | undefined;
  readonly direction?: 'rtl' | undefined;
}

export interface BookImage {
  readonly file: string;
  readonly type: string;
}

export const epubMediaType = 'application/epub+zip';
export const packageFolder = 'book/';

export const container = `<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="${packageFolder}package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
`;

/** Few rules: size, typeface and colors are up to the reading program. */
export const bookStyle = `body{margin:0 4%;line-height:1.5;overflow-wrap:break-word}
h1,h2,h3,h4,h5,h6{line-height:1.25;page-break-after:avoid;break-after:avoid}
pre,code,kbd,samp{font-family:monospace;font-size:.9em}
pre{white-space:pre-wrap;overflow-wrap:break-word;padding:.6em;border:1px solid #bbb}
blockquote{margin:1em 0;padding-left:1em;border-left:3px solid #bbb}
table{border-collapse:collapse;margin:1em 0}
th,td{padding:.3em .6em;border-bottom:1px solid #bbb;text-align:left;text-align:start;vertical-align:top}
.right{text-align:right}.center{text-align:center}
img{max-width:100%;height:auto}
.caption,.figcaption,.image{font-size:.9em}
.summary,.markdown-alert-title,.dt{font-weight:bold}
.dd{margin-left:1.5em}
.details,.markdown-alert{margin:1em 0;padding:.1em 1em;border-left:3px solid #888}
.sr-only{font-size:1em}
.math-display{display:block;text-align:center;margin:1em 0}
.hljs-comment,.hljs-quote{font-style:italic}.hljs-keyword,.hljs-title{font-weight:bold}
.title-sheet{margin-top:25%;text-align:center}
nav ol{list-style:none}
[dir="rtl"] blockquote,blockquote[dir="rtl"]{padding:0 1em 0 0;border-left:0;border-right:3px solid #bbb}
[dir="rtl"] .dd{margin:0 1.5em 0 0}
[dir="rtl"] .details,[dir="rtl"] .markdown-alert,.markdown-alert[dir="rtl"]{border-left:0;border-right:3px solid #888}
`;

const xhtml = (language: string, title: string, body: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="${language}" xml:lang="${language}">
<head><meta charset="UTF-8"/><title>${escapeXml(title)}</title><link rel="stylesheet" type="text/css" href="style.css"/></head>
${body}
</html>
`;

const day = (at: number) => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(at);

/** BCP 47: "undetermined". */
const unknownLanguage = 'und';

/** When most pages run right to left, so does the book (EPUB 3.3 §5.7.1). */
function isFromRight(pages: readonly BookPage[]): boolean {
  return pages.filter(({ direction }) => direction === 'rtl').length * 2 > pages.length;
}

/** The language of most pages. */
export function bookLanguage(pages: readonly Pick<BookPage, 'language'>[]): string {
  const counts = new Map<string, number>();
  for (const { language } of pages) if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  return [...counts].reduce((most, other) => (other[1] > most[1] ? other : most), [unknownLanguage, 0] as const)[0];
}

/** Our own words are English. */
const ours = 'en';

export function titlePage({ notebook, source }: BookFacts): string {
  const { title, pageCount, updatedAt } = notebook;
  const link = source === undefined ? '' : `\n<p><a href="${escapeXml(source)}">${escapeXml(source)}</a></p>`;
  const count = pageCount === 1 ? '1 page' : `${pageCount} pages`;
  return xhtml(
    ours,
    title,
    `<body epub:type="frontmatter"><section class="title-sheet" epub:type="titlepage">
<h1 dir="auto" lang="${unknownLanguage}" xml:lang="${unknownLanguage}">${escapeXml(title)}</h1>
<p>${count}<br/>Last changed ${day(updatedAt)}</p>${link}
</section></body>`,
  );
}

export interface BookPageText {
  readonly title: string;
  /** The text does not open with its own first-level heading. */
  readonly needsTitle: boolean;
  readonly language?: string | undefined;
  readonly direction?: 'rtl' | undefined;
  /** Why the text appears as it was written. */
  readonly notice?: string | undefined;
}

/** The file of a page, split into the parts before and after its text. */
export function pageFile({ title, needsTitle, language, direction, notice }: BookPageText): [before: string, after: string] {
  const heading = needsTitle ? `<h1 dir="auto">${escapeXml(title)}</h1>\n` : '';
  const said =
    notice === undefined ? '' : `<p class="notice" lang="${ours}" xml:lang="${ours}" dir="ltr">${escapeXml(notice)}</p>\n`;
  const end = '\n</section></body>';
  const body = direction === undefined ? '<body epub:type="bodymatter">' : `<body epub:type="bodymatter" dir="${direction}">`;
  const file = xhtml(language ?? unknownLanguage, title, `${body}<section epub:type="chapter">\n${heading}${said}${end}`);
  const at = file.lastIndexOf(end);
  return [file.slice(0, at), file.slice(at)];
}

/** Nobody searches a longer list for a place. */
const maxListed = 200;

/** The headings of a page that are kept until the book ends: all of them would be millions. */
export function listedHeadings(headings: readonly Heading[]): Heading[] {
  return headings
    .filter(({ depth, text, id }, place) => depth <= 3 && titleInXml(text) !== '' && id !== '' && !(place === 0 && depth === 1))
    .slice(0, maxListed);
}

/** Written page by page: 200 headings in each of 200 pages are a long list. */
export function* navigation(pages: readonly BookPage[]): Generator<string> {
  const file = xhtml(
    bookLanguage(pages),
    'Contents',
    `<body epub:type="frontmatter"><nav epub:type="toc" id="toc">
<h1 lang="${ours}" xml:lang="${ours}">Contents</h1>
<ol>
\0
</ol>
</nav></body>`,
  );
  const items = pages.map(({ file, title, headings }) => () => {
    const below = headings.map(({ id, text }) => `<li><a href="${file}#${id}">${escapeXml(text)}</a></li>`).join('\n');
    return `<li><a href="${file}">${escapeXml(title)}</a>${below === '' ? '' : `\n<ol>\n${below}\n</ol>`}</li>`;
  });
  yield* inPlace(file, items);
}

/** The same table of contents for programs that support only EPUB 2 (OPF 2.0.1 §2.4.1); others ignore it. */
export function* ncxNavigation({ notebook, identifier }: BookFacts, pages: readonly BookPage[]): Generator<string> {
  let place = 0;
  const point = (title: string, address: string, below: string) => {
    place += 1;
    return `<navPoint id="p${place}"><navLabel><text>${escapeXml(title)}</text></navLabel><content src="${address}"/>${below}</navPoint>`;
  };
  const points = pages.map(
    ({ file, title, headings }) =>
      () =>
        point(title, file, headings.map(({ id, text }) => point(text, `${file}#${id}`, '')).join('\n')),
  );
  const file = `<?xml version="1.0" encoding="UTF-8"?>
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1" xml:lang="${bookLanguage(pages)}">
<head><meta name="dtb:uid" content="${escapeXml(identifier)}"/></head>
<docTitle><text>${escapeXml(notebook.title)}</text></docTitle>
<navMap>
\0
</navMap>
</ncx>
`;
  yield* inPlace(file, points);
}

/** The file with the items, one per line, in place of its NUL, which no page's text contains. */
function* inPlace(file: string, items: readonly (() => string)[]): Generator<string> {
  const at = file.indexOf('\0');
  yield file.slice(0, at);
  for (const [number, item] of items.entries()) yield (number > 0 ? '\n' : '') + item();
  yield file.slice(at + 1);
}

/** Shown by programs that do not support an image's type, if EPUB 3.2 does not require it. */
export const noImage = `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 60"><title>An image that this program cannot show</title><path fill="none" stroke="#888" d="M1 1h318v58H1z"/><text x="160" y="35" font-size="14" text-anchor="middle" fill="#555">This image cannot be shown here</text></svg>
`;

export function packageFile(facts: BookFacts, pages: readonly BookPage[], images: readonly BookImage[]): string {
  const { notebook, identifier, source } = facts;
  const language = bookLanguage(pages);
  const item = (id: string, href: string, type: string, more = '') =>
    `<item id="${id}" href="${href}" media-type="${type}"${more}/>`;
  const manifest = [
    item('nav', 'nav.xhtml', 'application/xhtml+xml', ' properties="nav"'),
    item('ncx', 'toc.ncx', 'application/x-dtbncx+xml'),
    item('style', 'style.css', 'text/css'),
    item('title', 'title.xhtml', 'application/xhtml+xml'),
    ...pages.map(({ file, hasMath }, at) =>
      item(`page-${at + 1}`, file, 'application/xhtml+xml', hasMath ? ' properties="mathml"' : ''),
    ),
    ...images.map(({ file, type }, at) =>
      item(`image-${at + 1}`, file, type, imageMedia.has(type) ? '' : ' fallback="no-image"'),
    ),
    item('no-image', 'images/none.svg', 'image/svg+xml'),
  ];
  const spine = ['title', 'nav', ...pages.map((_, at) => `page-${at + 1}`)].map(id => `<itemref idref="${id}"/>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="${language}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">${escapeXml(identifier)}</dc:identifier>
<dc:title>${escapeXml(notebook.title)}</dc:title>
<dc:language>${language}</dc:language>${source === undefined ? '' : `\n<dc:source>${escapeXml(source)}</dc:source>`}
<meta property="dcterms:modified">${new Date(notebook.updatedAt).toISOString().slice(0, 19)}Z</meta>
</metadata>
<manifest>
${manifest.join('\n')}
</manifest>
<spine toc="ncx"${isFromRight(pages) ? ' page-progression-direction="rtl"' : ''}>
${spine.join('\n')}
</spine>
</package>
`;
}
