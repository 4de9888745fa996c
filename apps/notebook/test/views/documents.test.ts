import { describe, expect, it } from 'vitest';
import { renderLoaded } from '../../src/markdown/render-loaded.ts';
import type { Typeface } from '../../src/markdown/rendered.ts';
import { renderEditor } from '../../src/views/editor.tsx';
import { renderError } from '../../src/views/error.tsx';
import { renderHome } from '../../src/views/home.tsx';
import { renderNewNotebook } from '../../src/views/new-notebook.tsx';
import { renderPrint } from '../../src/views/print.tsx';
import type { HtmlDocument } from '../../src/views/props.ts';
import { renderQuick } from '../../src/views/quick.tsx';
import { renderView } from '../../src/views/view.tsx';
import { attribute, Parsed, textOf } from './parsed.ts';
import { hostile, pageLinks, printProps, site, viewProps } from './samples.ts';

const hostileNotebook = { ...viewProps().notebook, title: hostile };
const hostilePages = pageLinks(3).map(page => ({ ...page, title: hostile }));

/** Every page, with a hostile word wherever another person's words can come in. */
const pages: Record<string, HtmlDocument> = {
  home: renderHome(site, { deleted: false }),
  'home after a deletion': renderHome(site, { deleted: true }),
  new: renderNewNotebook(site, {}),
  quick: renderQuick(site, {}),
  view: renderView(
    site,
    viewProps({
      notebook: hostileNotebook,
      pages: hostilePages,
      page: { ...viewProps().page, title: hostile, headings: [1, 2, 3].map(n => ({ depth: 2, id: `h${n}`, text: hostile })) },
      previous: hostilePages[0],
      next: hostilePages[2],
    }),
  ),
  print: renderPrint(site, printProps({ notebook: hostileNotebook, pages: [{ ...printProps().pages[0]!, title: hostile }] })),
  editor: renderEditor(site, { mode: 'stored', slug: 'field-notes' }),
  error: renderError(site, { status: 404, title: hostile, detail: hostile, code: 'not_found' }),
};

it.each([
  ['# A title', false],
  ['', true],
  [' \n\n', true],
  ['<!-- a note -->', true],
  ['![A hill](https://example.org/hill.png)', false],
])('an empty page says nothing about reading it: %j', async (markdown, isEmpty) => {
  const page = { ...viewProps().page, ...(await renderLoaded(markdown)) };
  const parsed = new Parsed(renderView(site, viewProps({ page, pages: pageLinks(1) })));
  const foot = parsed.one('p', element => attribute(element, 'class') === 'sheet-foot');
  expect(textOf(foot).trim().replace(/\s+/g, ' ')).toMatch(isEmpty ? /^Changed \d/ : /^1 minute to read, changed \d/);
});

describe.each(Object.entries(pages))('%s', (name, page) => {
  const parsed = new Parsed(page);

  it('is a complete document in standards mode, with language, title and viewport', () => {
    expect(page.html.startsWith('<!doctype html>\n<html')).toBe(true);
    expect(attribute(parsed.one('html'), 'lang')).toBe('en');
    expect(textOf(parsed.all('title')[0]!)).not.toBe('');
    expect(
      attribute(
        parsed.one('meta', meta => attribute(meta, 'name') === 'viewport'),
        'content',
      ),
    ).toBe(`width=device-width, initial-scale=1${name === 'editor' ? ', interactive-widget=resizes-content' : ''}`);
  });

  it('has a first-level heading, a main landmark and a skip link that leads to it', () => {
    expect(parsed.all('h1').length).toBeGreaterThan(0);
    const main = parsed.one('main');
    const skip = parsed.all('a')[0]!;
    expect(attribute(skip, 'href')).toBe(`#${attribute(main, 'id')}`);
  });

  it('has no inline script, style or event handler', () => {
    for (const script of parsed.all('script')) {
      expect(attribute(script, 'src')).toMatch(/^\/assets\//);
      expect(textOf(script)).toBe('');
    }
    expect(parsed.all('style')).toEqual([]);
    for (const element of parsed.elements) {
      for (const { name, value } of element.attrs) {
        expect(name).not.toMatch(/^(style|on.*)$/);
        expect(value).not.toMatch(/^\s*javascript:/i);
      }
    }
  });

  it('shows a hostile title as text', () => {
    expect(parsed.all('img')).toEqual([]);
    expect(parsed.all('script').every(script => attribute(script, 'src'))).toBe(true);
  });

  it('asks nobody else for anything', () => {
    for (const tag of ['link', 'script', 'img', 'iframe']) {
      for (const element of parsed.all(tag)) {
        const url = attribute(element, 'src') ?? attribute(element, 'href') ?? '';
        if (attribute(element, 'rel') !== 'canonical') expect(url).toMatch(/^\/(?!\/)/);
      }
    }
  });

  it('has no two elements with the same id', () => {
    const ids = parsed.elements.map(element => attribute(element, 'id')).filter(id => id !== undefined);
    expect(ids).toEqual([...new Set(ids)]);
  });
});

describe('typefaces', () => {
  const preloaded = (page: HtmlDocument) =>
    new Parsed(page)
      .all('link')
      .filter(link => attribute(link, 'rel') === 'preload')
      .map(link => [attribute(link, 'href'), attribute(link, 'fetchpriority')]);
  const always = ['/assets/serif-AbCd1234.woff2', undefined];

  it('of the text come first; those that the page also shows, after them', () => {
    const { page } = viewProps();
    const view = (typefaces?: readonly Typeface[]) =>
      renderView(site, viewProps({ page: { ...page, facts: { ...page.facts, ...(typefaces && { typefaces }) } } }));
    expect(preloaded(view())).toEqual([always]);
    expect(preloaded(view(['italic', 'mono']))).toEqual([
      always,
      ['/assets/italic-AbCd1234.woff2', 'low'],
      ['/assets/mono-AbCd1234.woff2', 'low'],
    ]);
  });

  it.each(['home', 'quick'])('of the field on %s too', name => {
    expect(preloaded(pages[name]!)).toEqual([always, ['/assets/mono-AbCd1234.woff2', 'low']]);
  });
});

describe('search engines', () => {
  const robots = (page: HtmlDocument) => new Parsed(page).all('meta').find(meta => attribute(meta, 'name') === 'robots');
  const canonical = (page: HtmlDocument) => new Parsed(page).all('link').find(link => attribute(link, 'rel') === 'canonical');

  it('are given one address of a public notebook, and none of any other', () => {
    const open = renderView(site, viewProps());
    expect(attribute(canonical(open)!, 'href')).toBe('https://notes.example/n/field-notes/p/p1');
    expect(robots(open)).toBeUndefined();
    const unlisted = renderView(site, viewProps({ listed: false, shared: false }));
    expect(canonical(unlisted)).toBeUndefined();
    expect(attribute(robots(unlisted)!, 'content')).toBe('noindex');
    expect(unlisted.html).not.toContain('og:');
    expect(unlisted.html).not.toContain('name="description"');
  });

  it('get the first page under the notebook’s own address', () => {
    const first = viewProps({ page: { ...viewProps().page, id: 'p0' } });
    expect(attribute(canonical(renderView(site, first))!, 'href')).toBe('https://notes.example/n/field-notes');
  });

  it('keep out of the print view, the editor and errors', () => {
    for (const name of ['print', 'editor', 'error']) expect(attribute(robots(pages[name]!)!, 'content')).toBe('noindex');
  });
});
