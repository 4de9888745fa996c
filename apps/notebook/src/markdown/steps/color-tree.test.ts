import { expect, it } from 'vitest';
import { ColorTree } from './color-tree.ts';

it('an embedded language nests as deep as its own colors and its wrapper, in the color that is open', () => {
  const inner = new ColorTree();
  for (const scope of ['tag', 'title.function']) inner.openNode(scope);
  inner.addText('a');
  inner.addText('b');
  const outer = new ColorTree();
  outer.openNode('string');
  outer.__addSublanguage(inner, 'xml');
  outer.closeNode();
  const span = (className: string[] | undefined, ...children: unknown[]) => ({
    type: 'element',
    tagName: 'span',
    properties: className ? { className } : {},
    children,
  });
  const title = span(['hljs-title', 'function_'], { type: 'text', value: 'ab' });
  expect(outer.children).toEqual([span(['hljs-string'], span(undefined, span(['hljs-tag'], title)))]);
  expect([inner.depth, outer.depth]).toEqual([2, 4]);
});
