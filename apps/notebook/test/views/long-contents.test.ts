import { describe, expect, it } from 'vitest';
import type { Heading } from '../../src/markdown/rendered.ts';
import { listedHeadings, navigation, ncxNavigation } from '../../src/views/epub.ts';
import { outlineOf, renderPrint, renderPrintFrame } from '../../src/views/print.tsx';
import { printProps, site } from './samples.ts';

const headings = (count: number): Heading[] =>
  Array.from({ length: count }, (_, at) => ({ depth: 2, id: `user-content-h${at}`, text: `Heading ${at}` }));

describe('long contents are drawn a page at a time', () => {
  it('in print, before the frame around them', () => {
    const props = printProps();
    const outlines = props.pages.map(page => outlineOf({ ...page, headings: headings(300) }));
    expect(outlines[0]!.listed).toMatch(/^<li><a class="contents-page"[\s\S]*>Heading 199<\/a><\/li><\/ul><\/li>$/);
    const frame = renderPrintFrame(site, { ...props, pages: outlines });
    const before = frame.before.join('');
    expect(before).toContain(`<ol>${outlines.map(({ listed }) => listed).join('')}</ol></nav>`);
    expect(before + frame.after).not.toContain('\0');
    const alone = renderPrintFrame(site, { ...props, onlyPage: true, pages: outlines.slice(0, 1) });
    expect(alone.before.join('') + alone.after).not.toMatch(/\0|Heading 0/);
    expect(renderPrint(site, { ...props, onlyPage: true }).html).not.toContain('\0');
  });

  it('in a book, which keeps only what it will list', () => {
    const listed = listedHeadings(headings(40_000));
    expect(listed.map(({ text }) => text)).toEqual(headings(200).map(({ text }) => text));
    const pages = [1, 2, 3].map(page => ({
      file: `page-${page}.xhtml`,
      title: `Page ${page}`,
      headings: listed,
      hasMath: false,
    }));
    const facts = { notebook: printProps().notebook, identifier: 'urn:uuid:0' };
    for (const written of [[...navigation(pages)], [...ncxNavigation(facts, pages)]]) {
      // What stands before the pages, each page, what stands behind them.
      expect(written).toHaveLength(5);
      expect(written.map(piece => piece.match(/Heading 199</g)?.length ?? 0)).toEqual([0, 1, 1, 1, 0]);
      expect(written.join('')).not.toContain('\0');
    }
  });
});
