import { expect, it } from 'vitest';
import { renderMarkdown } from '../../../markdown/render.ts';
import { sourcesIn, withDrawings } from './drawings.ts';

const source = 'flowchart LR\n  A["x & <b> \u00a0 \'q\' &amp;"] --> B\n';
const fenced = `\`\`\`mermaid\n${source}\`\`\`\n`;
const drawn = {
  id: 1,
  svg: '<svg xmlns="http://www.w3.org/2000/svg"><a b="url(#c)"/>"&</svg>',
  width: 10.2,
  height: 20.1,
  name: '"<b>&',
};
const html = (markdown: string) => renderMarkdown(markdown).html;

it('finds the source of each diagram as it was written, wherever it stands', () => {
  const quoted = fenced.replaceAll(/^/gm, '> ');
  expect(sourcesIn(html(`# a\n\n${fenced}\n${quoted}\n\`\`\`js\nmermaid\n\`\`\`\n`))).toEqual([source, source]);
});

it('puts the drawing in its place, its source below, and nothing of either becomes markup', () => {
  const filled = withDrawings(html(`before\n\n${fenced}\nafter`), new Map([[source, drawn]]));
  expect(filled).toContain('<img class="diagram-light" src="data:image/svg+xml;charset=utf-8,%3Csvg');
  // Nothing after a `#` would be part of the picture.
  const [, src] = / src="data:image\/svg\+xml;charset=utf-8,([^"#&]*)"/.exec(filled)!;
  expect(decodeURIComponent(src!)).toBe(drawn.svg);
  expect(filled).toContain('width="11" height="21" alt="Diagram: &quot;&lt;b&gt;&amp;"');
  expect(filled).toContain('<summary>Source of the diagram</summary><pre');
  expect(filled).not.toMatch(/<svg|<b>/);
  expect(sourcesIn(filled)).toEqual([source]);
});

it('leaves the source where nothing could be drawn', () => {
  expect(withDrawings(html(fenced), new Map())).toBe(html(fenced));
});
