import type { Site } from './props.ts';

/** `/diagram`: a page for one script, shown in sandboxed frames of our own pages. */
export function renderDiagramFrame({ assets }: Site): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Diagram</title><meta name="robots" content="noindex">
<script type="module" src="${assets.scripts['diagram-frame']}"></script></head><body></body></html>
`;
}
