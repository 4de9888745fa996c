import type { Mermaid, MermaidConfig } from 'mermaid';
import { type DrawAnswer, type DrawRequest, drawingBounds, type Scheme } from './drawing.ts';

// Runs inside the sandboxed frame of `/diagram`: an origin of its own, no network, no storage. It draws what it is told and answers.

/** The page's own colours (styles/tokens.css), which do not reach in here. */
const inks = {
  light: {
    darkMode: false,
    background: '#fffefc',
    primaryColor: '#e3eef4',
    primaryTextColor: '#23211e',
    primaryBorderColor: '#1b5675',
    secondaryColor: '#fbf1dd',
    tertiaryColor: '#e6f3ea',
    lineColor: '#5c5851',
    textColor: '#23211e',
    noteBkgColor: '#fdf0ae',
    noteTextColor: '#23211e',
    noteBorderColor: '#85500a',
    edgeLabelBackground: '#fffefc',
    pieOpacity: '1',
    pieStrokeWidth: '1px',
    pieOuterStrokeWidth: '1px',
  },
  dark: {
    darkMode: true,
    background: '#1b1c1e',
    primaryColor: '#1d2f39',
    primaryTextColor: '#e6e3dd',
    primaryBorderColor: '#8cc4e0',
    secondaryColor: '#2e2616',
    tertiaryColor: '#17291e',
    lineColor: '#a8a49c',
    textColor: '#e6e3dd',
    noteBkgColor: '#5a4b12',
    noteTextColor: '#e6e3dd',
    noteBorderColor: '#e6b566',
    edgeLabelBackground: '#1b1c1e',
    pieOpacity: '1',
    pieStrokeWidth: '1px',
    pieOuterStrokeWidth: '1px',
  },
} as const;

const settings = (scheme: Scheme) =>
  ({
    startOnLoad: false,
    securityLevel: 'strict',
    maxTextSize: drawingBounds.sourceChars,
    maxEdges: drawingBounds.edges,
    theme: 'base',
    themeVariables: inks[scheme],
    // An image has no fonts but the reader's own; measured with what it is shown with.
    fontFamily: 'system-ui, sans-serif',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    suppressErrorRendering: true,
    deterministicIds: true,
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'maxTextSize',
      'maxEdges',
      'suppressErrorRendering',
      'themeCSS',
      'fontFamily',
      'altFontFamily',
      'htmlLabels',
    ],
  }) satisfies MermaidConfig;

let engine: Promise<Mermaid> | undefined;

async function draw({ id, source, scheme }: DrawRequest): Promise<DrawAnswer> {
  engine ??= import('mermaid').then(module => module.default);
  const mermaid = await engine;
  mermaid.initialize(settings(scheme));
  try {
    const { svg, diagramType } = await mermaid.render(`diagram-${id}`, source);
    return { id, ...settle(svg, diagramType) };
  } catch (error) {
    return { id, problem: (error instanceof Error ? error.message : String(error)).slice(0, 500) };
  }
}

/** As a document of its own, well-formed and of a known size. */
function settle(svg: string, kind: string): { svg: string; width: number; height: number; name: string } {
  const holder = document.createElement('div');
  holder.innerHTML = svg;
  const root = holder.querySelector('svg');
  if (!root) throw new Error('nothing was drawn');
  const { width, height } = root.viewBox.baseVal;
  root.setAttribute('width', String(width));
  root.setAttribute('height', String(height));
  root.style.maxWidth = '';
  const name = [...root.querySelectorAll(':scope > title, :scope > desc')].map(part => part.textContent.trim()).join('. ');
  return { svg: new XMLSerializer().serializeToString(root), width, height, name: (name || kind).slice(0, 500) };
}

addEventListener('message', async (event: MessageEvent<DrawRequest>) => {
  if (event.source !== parent) return;
  // The page's own origin is not known in here, and the answer is no secret: it is made of what the page sent.
  parent.postMessage(await draw(event.data), '*');
});
parent.postMessage('ready', '*');
