import type { Page } from 'playwright-core';

/** @returns those that a browser reads in another way than they are written: as `innerHTML`, in a template or in a page */
export function changedInBrowser(page: Page, written: readonly string[]): Promise<string[]> {
  return page.evaluate(all => {
    const empty = new Set(['br', 'col', 'hr', 'img', 'input', 'source', 'wbr']);
    const escaped = (text: string): string =>
      text.replaceAll('&', '&amp;').replaceAll('\u00a0', '&nbsp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    // As the standard's serializer. Older browsers leave `<` and `>` in attributes.
    const write = (node: Node): string => {
      if (node instanceof Text) return escaped(node.data);
      if (!(node instanceof HTMLElement || node instanceof MathMLElement)) return `(${node.nodeName})`;
      const attributes = [...node.attributes].map(({ name, value }) => ` ${name}="${escaped(value).replaceAll('"', '&quot;')}"`);
      const opening = `<${node.localName}${attributes.join('')}>`;
      return empty.has(node.localName) ? opening : `${opening}${writeIn(node)}</${node.localName}>`;
    };
    const writeIn = (parent: Node): string => [...parent.childNodes].map(write).join('');
    // Documents without a window run and load nothing.
    const { implementation } = document;
    const host = implementation.createHTMLDocument('').body.appendChild(document.createElement('article'));
    const template = document.createElement('template');
    const parser = new DOMParser();
    return all.filter(html => {
      host.innerHTML = html;
      template.innerHTML = html;
      const { body } = parser.parseFromString(`<!doctype html><article>${html}</article><p>after</p>`, 'text/html');
      return (
        writeIn(host) !== html || writeIn(template.content) !== html || writeIn(body) !== `<article>${html}</article><p>after</p>`
      );
    });
  }, written);
}
