import { expect, it } from 'vitest';
import { outlineOf, renderPrint, renderPrintFrame, renderPrintPage } from '../../src/views/print.tsx';
import { printProps, site } from './samples.ts';

const { notebook, pages } = printProps();
const frameOf = (onlyPage: boolean) => renderPrintFrame(site, { notebook, pages: pages.map(outlineOf), onlyPage });

it('the contents of each page are a piece of their own, in the order of the pages', () => {
  const { before } = frameOf(false);
  expect(before).toHaveLength(pages.length + 2);
  for (const [at, page] of pages.entries()) {
    expect(before[at + 1]).toBe(outlineOf(page).listed);
    expect(before[at + 1]).toContain(page.title);
  }
});

it.each([false, true])('the pieces and the pages are the whole document (only one page: %s)', onlyPage => {
  const { before, after } = frameOf(onlyPage);
  const { html } = renderPrint(site, { notebook, pages, onlyPage });
  expect(before.join('') + pages.map(renderPrintPage).join('') + after).toBe(html);
  expect(html).toContain('</main>');
  expect(html.includes('book-contents')).toBe(!onlyPage);
});
