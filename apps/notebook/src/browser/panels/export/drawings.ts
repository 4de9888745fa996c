import { escapeHtml } from '../../../markdown/escape.ts';
import type { Drawn } from '../../diagrams/drawing.ts';

/** Drawings by diagram source. A source that cannot be drawn is missing and stays as code. */
export type Drawings = ReadonlyMap<string, Drawn>;
export type Draw = (sources: readonly string[]) => Promise<Drawings>;

/** Matches the renderer's own output, which writes a diagram's source in only one form. */
// super-linear: the input is the renderer's own output, where every "<" begins a tag that ends.
const fence = /<pre[^>]*><code class="language-mermaid">([^<]*)<\/code><\/pre>/g;

export function sourcesIn(html: string): string[] {
  return [...html.matchAll(fence)].map(match => readEscaped(match[1]!));
}

/** Shows each diagram as the same image as the view, with its source at hand. An image runs nothing and loads nothing. */
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
