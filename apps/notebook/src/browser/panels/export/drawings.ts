import { escapeHtml } from '../../../markdown/escape.ts';
import type { Drawn } from '../../diagrams/drawing.ts';

/** By a diagram's source; a source that cannot be drawn is missing and stays source. */
export type Drawings = ReadonlyMap<string, Drawn>;
export type Draw = (sources: readonly string[]) => Promise<Drawings>;

/** The renderer's own output, so a diagram's source stands in it in one way only. */
// super-linear: it is the renderer's own output, where every "<" begins a tag that ends.
const fence = /<pre[^>]*><code class="language-mermaid">([^<]*)<\/code><\/pre>/g;

export function sourcesIn(html: string): string[] {
  return [...html.matchAll(fence)].map(match => readEscaped(match[1]!));
}

/** Each as the image that the view shows, its source within reach. An image runs nothing and loads nothing. */
export function withDrawings(html: string, drawings: Drawings): string {
  return html.replaceAll(fence, (block, escaped: string) => {
    const drawn = drawings.get(readEscaped(escaped));
    return drawn ? figure(drawn, block) : block;
  });
}

function figure({ svg, width, height, name }: Drawn, source: string): string {
  const src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return `<figure class="diagram"><img class="diagram-light" src="${escapeHtml(src)}" width="${Math.ceil(width)}" height="${Math.ceil(height)}" alt="${escapeHtml(`Diagram: ${name}`)}"><details><summary>Source of the diagram</summary>${source}</details></figure>`;
}

function readEscaped(text: string): string {
  const signs: Record<string, string> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&#x27;': "'",
    '&nbsp;': '\u00a0',
    '&amp;': '&',
  };
  return text.replaceAll(/&(?:lt|gt|quot|#39|#x27|nbsp|amp);/g, sign => signs[sign]!);
}
