import { describe, expect, it } from 'vitest';
import { renderEmbed } from '../../src/views/embed.tsx';
import { bookNotice } from '../../src/views/page-body.tsx';
import { renderPrint } from '../../src/views/print.tsx';
import type { HtmlDocument } from '../../src/views/props.ts';
import { renderSlides } from '../../src/views/slides.tsx';
import { renderView } from '../../src/views/view.tsx';
import { attribute, type Element, isWithin, Parsed, textOf } from './parsed.ts';
import { pageLinks, printProps, site, viewProps } from './samples.ts';

const draw = (changes: Parameters<typeof viewProps>[0] = {}) => new Parsed(renderView(site, viewProps(changes)));
const withRel = (parsed: Parsed, rel: string) => parsed.all('a').find(link => attribute(link, 'rel') === rel);
const labelled = (parsed: Parsed, tag: string, label: string): Element[] =>
  parsed.all(tag).filter(element => attribute(element, 'aria-label') === label);

describe('a view', () => {
  it('links the pages before and after', () => {
    const parsed = draw();
    expect(attribute(withRel(parsed, 'prev')!, 'href')).toBe('/n/field-notes/p/p0');
    expect(attribute(withRel(parsed, 'next')!, 'href')).toBe('/n/field-notes/p/p2');
  });

  it('has no pager where there is neither', () => {
    expect(labelled(draw({ previous: undefined, next: undefined }), 'nav', 'Previous and next page')).toEqual([]);
  });

  it('links print and markdown', () => {
    const hrefs = draw()
      .all('a')
      .map(link => attribute(link, 'href'));
    expect(hrefs).toContain('/n/field-notes/print');
    expect(hrefs).toContain('/n/field-notes.md');
  });

  it('lists every page and marks the present one, without a script', () => {
    const parsed = draw({ pages: pageLinks(60, 7) });
    expect(labelled(parsed, 'nav', 'Pages').length).toBe(2);
    const current = parsed.all('a').filter(link => attribute(link, 'aria-current') === 'page');
    expect(current.map(link => attribute(link, 'href'))).toEqual(['/n/field-notes/p/p7', '/n/field-notes/p/p7']);
  });

  it('has no index for a single page', () => {
    expect(labelled(draw({ pages: pageLinks(1, 0) }), 'nav', 'Pages')).toEqual([]);
  });

  it('offers the headings below the title, each leading to an element of the text', () => {
    const parsed = draw();
    const ids = new Set(parsed.elements.map(element => attribute(element, 'id')));
    const links = parsed.all('a').filter(link => attribute(link, 'href')?.startsWith('#user-content-'));
    expect(new Set(links.map(textOf))).toEqual(new Set(['Table', 'Code']));
    for (const link of links) expect(ids).toContain(attribute(link, 'href')!.slice(1));
  });

  it('does not say a title twice when the text opens with one', () => {
    expect(draw().all('h1').length).toBe(1);
    const bare = draw({ page: { ...viewProps().page, html: '<p>text</p>', headings: [] } });
    expect(bare.all('h1').map(textOf)).toEqual(['Page 1']);
  });

  it('says why a page is shown plain', () => {
    const plain = renderView(site, viewProps({ page: { ...viewProps().page, plain: 'table-width' } }));
    expect(plain.html).toContain('shown as plain text, because it has a table with more columns');
    expect(renderView(site, viewProps()).html).not.toContain('shown as plain text');
  });

  it('what is plain for the moment leads to where it is read: the same page, never the owner’s print', () => {
    const busy = { ...viewProps().page, plain: 'busy' as const };
    const linkOf = (document: HtmlDocument) => {
      const again = new Parsed(document).all('a').find(link => textOf(link) === 'Show the rendered page');
      return again && attribute(again, 'href');
    };
    const { notebook } = viewProps();
    expect(linkOf(renderView(site, viewProps({ page: busy })))).toBe('/n/field-notes/p/p1');
    const framed = { id: 'p1', title: 'Page 1', href: '/n/field-notes/embed?page=p1', current: true };
    expect(linkOf(renderEmbed(site, { notebook, page: busy, pages: [framed] }))).toBe(framed.href);
    expect(linkOf(renderSlides(site, { notebook, page: busy, back: '/n/field-notes' }))).toBe('/n/field-notes?slides');
    const print = renderPrint(site, { notebook, pages: [busy] });
    expect(linkOf(print)).toBeUndefined();
    expect(print.html).toContain('Open this print again in a moment');
    expect(bookNotice('busy')).toContain('Download the book again in a moment');
    expect(bookNotice('time')).not.toContain('again');
  });

  it('says until when it is readable', () => {
    const notebook = { ...viewProps().notebook, expiresAt: Date.UTC(2026, 11, 24) };
    expect(renderView(site, viewProps({ notebook })).html).toMatch(
      /<time datetime="2026-12-24T00:00:00\.000Z"[^>]*>24 December 2026<\/time>/,
    );
  });

  it('is described by what the renderer found', () => {
    const description = draw()
      .all('meta')
      .find(meta => attribute(meta, 'name') === 'description')!;
    expect(attribute(description, 'content')).toBe(viewProps().page.facts.description);
  });
});

describe('a print', () => {
  const parsed = new Parsed(renderPrint(site, printProps()));

  it('opens with the title of the notebook', () => {
    expect(textOf(parsed.all('h1')[0]!)).toBe('Field notes');
  });

  it('has contents whose every link leads to an element of the same document', () => {
    const ids = new Set(parsed.elements.map(element => attribute(element, 'id')));
    const nav = parsed.one('nav');
    const targets = parsed
      .all('a')
      .filter(link => attribute(link, 'href')?.startsWith('#') && attribute(link, 'class') !== 'skip-link')
      .map(link => attribute(link, 'href')!.slice(1));
    expect(textOf(nav)).toContain('Second');
    expect(targets.length).toBe(6);
    for (const target of targets) expect(ids).toContain(target);
  });

  // Spec 1 §1.8: a table of contents.
  it('lists every page and its headings in the contents, in their order, each with its place', () => {
    const nav = parsed.one('nav');
    const links = parsed.all('a').filter(link => isWithin(link, nav));
    expect(links.map(link => [textOf(link), attribute(link, 'href')])).toMatchInlineSnapshot(`
      [
        [
          "Page 1",
          "#sheet-one",
        ],
        [
          "Table",
          "#one-table",
        ],
        [
          "Code",
          "#one-code",
        ],
        [
          "Second",
          "#sheet-two",
        ],
        [
          "Table",
          "#two-table",
        ],
        [
          "Code",
          "#two-code",
        ],
      ]
    `);
    expect(links.map(link => attribute(link, 'href')).every(href => href?.startsWith('#'))).toBe(true);
  });

  // Spec 1 §1.8 asks for contents, whatever there is to list.
  it('has contents of a single page without headings too', () => {
    const [page] = printProps().pages;
    const single = new Parsed(
      renderPrint(site, printProps({ pages: [{ ...page!, title: 'Only', html: '<p>text</p>', headings: [] }] })),
    );
    const nav = single.one('nav');
    expect(
      single
        .all('a')
        .filter(link => isWithin(link, nav))
        .map(textOf),
    ).toEqual(['Only']);
  });

  it('of one page alone has neither title sheet nor contents', () => {
    const [page] = printProps().pages;
    const alone = new Parsed(renderPrint(site, printProps({ pages: [page!], onlyPage: true, viewLinkOpens: true })));
    expect(alone.all('nav')).toEqual([]);
    expect(alone.all('svg')).toEqual([]);
    expect(alone.all('h1').map(textOf)).toEqual(['Sheets']);
  });

  it('puts each page into a section of its own', () => {
    expect(parsed.all('section').map(section => attribute(section, 'aria-label'))).toEqual(['Page 1', 'Second']);
  });
});
