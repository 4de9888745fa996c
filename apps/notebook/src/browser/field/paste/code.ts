import { attributeOf, childElements, findInside, type PastedElement, styleOf, textInside } from './pasted-tree.ts';

/** Writes a code block with a fence longer than any backtick run inside. */
export function writeCodeBlock(element: PastedElement): string {
  const code = textInside(element).replaceAll(/\r\n?/g, '\n').replaceAll('\u00a0', ' ').replace(/^\n/, '').trimEnd();
  if (code === '') return '';
  const longest = [...code.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${languageOf(element)}\n${code}\n${fence}`;
}

/** Each highlighter uses its own class for the language: on the block, on the code in it, or on the box around it. */
function languageOf(element: PastedElement): string {
  const code = findInside(element, inner => inner.tagName === 'code');
  const box = element.parentNode && 'attrs' in element.parentNode ? [element.parentNode] : [];
  for (const place of [element, ...(code ? [code] : []), ...box]) {
    const named = attributeOf(place, 'data-lang') || attributeOf(place, 'data-language') || attributeOf(place, 'lang');
    const classed = /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|brush:\s*)([\w+#.-]+)/.exec(
      attributeOf(place, 'class'),
    )?.[1];
    const found = (classed ?? named).toLowerCase();
    if (/^[\w+#.-]+$/.test(found) && !/^(?:none|plaintext|text|html-basic)$/.test(found)) return found;
  }
  return '';
}

/** Code editors copy their colors as one box in a monospaced font that keeps all spaces. Such a paste stays plain text. */
export function isFromCodeEditor(body: PastedElement): boolean {
  const [only, ...more] = childElements(body).filter(({ tagName }) => tagName !== 'meta' && tagName !== 'br');
  if (!only || more.length > 0) return false;
  const typewriter = /mono|consolas|courier|menlo|monaco/.test(styleOf(only, 'font-family'));
  return typewriter && (only.tagName === 'pre' || /^pre/.test(styleOf(only, 'white-space')));
}
