import { escapeHtml } from '../../../markdown/escape.ts';
import { resolvePageLinks } from '../../../markdown/page-links.ts';
import { renderLoaded } from '../../../markdown/render-loaded.ts';
import type { Rendered } from '../../../markdown/rendered.ts';
import { PageLinks } from '../../../model/page-address.ts';
import style from '../../styles/exported.css?inline';
import { type Draw, type Drawings, sourcesIn, withDrawings } from './drawings.ts';
import type { ImageCopy, NotebookCopy, PageCopy } from './notebook-copy.ts';

/** The file runs no scripts and loads nothing, except images that could not be embedded. */
const policy = "default-src 'none'; img-src data: https: http:; style-src 'unsafe-inline'";

interface RenderedCopy extends PageCopy {
  readonly rendered: Rendered;
}

/** Makes the notebook one self-contained file that looks like the print view. The text passes the same sanitizer as everywhere. */
export async function notebookHtml({ title, pages, images }: NotebookCopy, now: number, draw: Draw): Promise<string> {
  const copies: RenderedCopy[] = [];
  for (const page of pages)
    copies.push({ ...page, rendered: await renderLoaded(page.markdown, { idPrefix: `user-content-${page.id}-` }) });
  const links = new PageLinks(copies, filesIn(copies), ({ title }) => title);
  const sources = copies.flatMap(({ rendered }) => sourcesIn(rendered.html));
  const drawings = sources.length === 0 ? (new Map() as Drawings) : await draw(sources);
  return `<!doctype html>
<html lang="en" data-kind="print" data-exported>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>
${style.replaceAll('</', '<\\/')}
</style>
</head>
<body>
<main class="book">
${titleSheet(title, pages.length, now)}
${copies.length > 1 ? contents(copies) : ''}
${copies.map(copy => sheet(copy, html => withDrawings(withImages(withLinks(html, copy, links), images), drawings))).join('\n')}
</main>
</body>
</html>
`;
}

function titleSheet(title: string, count: number, now: number): string {
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' }).format(now);
  return `<header class="title-sheet"><h1 class="title-sheet-title" dir="auto">${escapeHtml(title)}</h1>
<p class="title-sheet-facts">${count === 1 ? '1 page' : `${count} pages`}<br>Saved on <time datetime="${new Date(now).toISOString()}">${day}</time></p></header>`;
}

function contents(copies: readonly RenderedCopy[]): string {
  const items = copies.map(({ id, title, rendered }) => {
    const below = rendered.headings.filter(({ depth, text }, place) => depth <= 3 && text && !(place === 0 && depth === 1));
    const top = Math.min(...below.map(({ depth }) => depth));
    const list = below.map(
      ({ id, depth, text }) =>
        `<li data-depth="${depth - top + 1}"><a href="#${escapeHtml(id)}" dir="auto">${escapeHtml(text)}</a></li>`,
    );
    return `<li><a class="contents-page" href="#${anchor(id)}" dir="auto">${escapeHtml(title)}</a>${list.length > 0 ? `<ul>${list.join('')}</ul>` : ''}</li>`;
  });
  return `<nav class="book-contents" aria-labelledby="contents-title"><h2 id="contents-title">Contents</h2><ol>${items.join('\n')}</ol></nav>`;
}

function sheet({ id, title, rendered }: RenderedCopy, fill: (html: string) => string): string {
  const heading = rendered.headings[0]?.depth === 1 ? '' : `<h1 class="book-page-title" dir="auto">${escapeHtml(title)}</h1>`;
  const plain = rendered.plain ? '<p class="notice warning">This page is shown as plain text.</p>' : '';
  return `<section class="book-page" id="${anchor(id)}" aria-label="${escapeHtml(title)}">${heading}${plain}<div class="prose">${fill(rendered.html)}</div></section>`;
}

const filesIn = (copies: readonly PageCopy[]) =>
  copies.flatMap(({ id, file }) => (file ? [{ pageId: id, path: file.path }] : []));

/** Points links between files to the sheet of that page or to a heading in it. */
function withLinks(html: string, from: RenderedCopy, links: PageLinks<RenderedCopy>): string {
  if (from.rendered.plain) return html;
  return resolvePageLinks(html, (link, heading) => {
    const page = links.find(from.id, link);
    return page && (heading === undefined ? `#${anchor(page.id)}` : `#user-content-${page.id}-${heading}`);
  });
}

/** Cannot clash with an id made from the text, because those start with the renderer's prefix. */
const anchor = (pageId: string) => escapeHtml(`sheet-${pageId}`);

/** Safe on the renderer's own output, which writes an address in only one form, and base64 contains no markup. */
function withImages(html: string, images: readonly ImageCopy[]): string {
  return images.reduce(
    (text, { url, type, bytes }) =>
      text.replaceAll(` src="${escapeHtml(url)}"`, () => ` src="data:${escapeHtml(type)};base64,${base64(bytes)}"`),
    html,
  );
}

function base64(bytes: Uint8Array): string {
  const step = 0x8000;
  let text = '';
  for (let at = 0; at < bytes.length; at += step) text += String.fromCharCode(...bytes.subarray(at, at + step));
  return btoa(text);
}
