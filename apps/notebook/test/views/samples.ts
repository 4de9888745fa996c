import { type AssetUrls, type PrintProps, type Site, scriptNames, styleNames, type ViewProps } from '../../src/views/props.ts';

export const hostile = '<script>alert(1)</script>"\'&<img src=x onerror=alert(1)>';

const named = <Name extends string>(names: readonly Name[], ending: string) =>
  Object.fromEntries(names.map(name => [name, `/assets/${name}-AbCd1234.${ending}`])) as Record<Name, string>;

export const assets: AssetUrls = {
  styles: named(styleNames, 'css'),
  scripts: named(scriptNames, 'js'),
  preloadFonts: ['/assets/serif-AbCd1234.woff2'],
  editorImports: ['/assets/words-AbCd1234.js'],
  fonts: { italic: '/assets/italic-AbCd1234.woff2', mono: '/assets/mono-AbCd1234.woff2' },
};

export const site: Site = { publicUrl: 'https://notes.example', assets };

const html = `<h1 id="user-content-sheets">Sheets</h1><p>A paragraph with <code>code</code>, <mark>a mark</mark>, <kbd>Ctrl</kbd>,
<abbr title="HyperText Markup Language">HTML</abbr> and <a href="https://example.org" rel="nofollow ugc noopener noreferrer">a link</a>.</p>
<h2 id="user-content-table">Table</h2><table><thead><tr><th>Sheet</th><th align="right">Width</th></tr></thead>
<tbody><tr><td>Royal</td><td align="right">635</td></tr></tbody></table>
<h2 id="user-content-code">Code</h2><pre><code class="hljs language-ts"><span class="hljs-keyword">const</span> <span class="hljs-title function_">leaves</span> =
<span class="hljs-number">8</span>; <span class="hljs-comment">// octavo</span> <span class="hljs-string">'text'</span> <span class="hljs-built_in">Map</span> <span class="hljs-attr">key</span> <span class="hljs-meta">@pure</span></code></pre>
<blockquote><p>A promise.</p></blockquote><div class="markdown-alert markdown-alert-warning"><p class="markdown-alert-title">Warning</p><p>Wet.</p></div>
<details><summary>More</summary><p>Hidden.</p></details><p>日本語の段落。🎌</p><p dir="rtl">فقرة</p>`;

const headings = [
  { depth: 1, id: 'user-content-sheets', text: 'Sheets' },
  { depth: 2, id: 'user-content-table', text: 'Table' },
  { depth: 2, id: 'user-content-code', text: 'Code' },
] as const;

const updatedAt = Date.UTC(2026, 10, 18, 10);

export const pageLinks = (count: number, current = 1) =>
  Array.from({ length: count }, (_, place) => ({
    id: `p${place}`,
    title: place === 2 ? `A long title ${'that goes on '.repeat(6)}` : `Page ${place}`,
    href: `/n/field-notes/p/p${place}`,
    current: place === current,
  }));

/** What the renderer tells of that text. */
const facts = { description: 'A paragraph with code, a mark, Ctrl, HTML and a link.', minutes: 1, slides: false };

export function viewProps(changes: Partial<ViewProps> = {}): ViewProps {
  const pages = changes.pages ?? pageLinks(4);
  return {
    notebook: {
      slug: 'field-notes',
      title: 'Field notes',
      visibility: 'public',
      paper: 'lined',
      updatedAt,
      expiresAt: null,
      pageCount: pages.length,
      version: 1,
    },
    pages,
    page: { id: 'p1', title: 'Page 1', html, headings, facts, updatedAt },
    description: facts.description,
    previous: pages[0],
    next: pages[2],
    links: { print: '/n/field-notes/print', markdown: '/n/field-notes.md', epub: '/n/field-notes.epub' },
    listed: true,
    shared: true,
    framed: false,
    ...changes,
  };
}

export function printProps(changes: Partial<PrintProps> = {}): PrintProps {
  const { notebook, page } = viewProps();
  const prefixed = (prefix: string) => ({
    ...page,
    id: prefix,
    html: page.html.replaceAll('user-content-', `${prefix}-`),
    headings: page.headings.map(heading => ({ ...heading, id: heading.id.replace('user-content-', `${prefix}-`) })),
  });
  return { notebook, pages: [prefixed('one'), { ...prefixed('two'), title: 'Second' }], ...changes };
}
