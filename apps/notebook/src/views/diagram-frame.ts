import type { Site } from './props.ts';

/** `/diagram`: a page for one script, shown in sandboxed frames of our own pages. The bundler's loader takes the nonce from the `meta`. */
export function renderDiagramFrame({ assets }: Site, nonce: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Diagram</title><meta name="robots" content="noindex"><meta property="csp-nonce" nonce="${nonce}">
<script type="module" nonce="${nonce}" src="${assets.scripts['diagram-frame']}"></script></head><body></body></html>
`;
}
