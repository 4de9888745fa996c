import type { Dayjs } from 'dayjs';
import type { Mermaid, MermaidConfig } from 'mermaid';
import { textStart } from '../../model/text-start.ts';
import { type DrawAnswer, type DrawRequest, type Scheme, unloaded } from './drawing.ts';
import { sourceBounds } from './source-bounds.ts';
import { checkSource, checkWords, countLines } from './source-checks.ts';

// Runs inside the sandboxed frame of `/diagram`, with its own origin and without network or storage. It draws what it is sent and answers.

/** The page's colors (styles/tokens.css), which do not apply inside the frame. */
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
    maxTextSize: sourceBounds.sourceChars,
    maxEdges: sourceBounds.edges,
    theme: 'base',
    themeVariables: inks[scheme],
    // Opaque, because with Mermaid's half-transparent labels the line shows through the words.
    themeCSS: `.edgeLabel rect { opacity: 1 !important; fill: ${inks[scheme].edgeLabelBackground} !important; }`,
    // An image can use only the reader's own fonts, so text is measured with those too.
    fontFamily: 'system-ui, sans-serif',
    htmlLabels: false,
    layout: 'dagre',
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
      // Another engine would do the layout in this thread.
      'layout',
      'elk',
      // Hand-drawn shapes take seconds.
      'look',
      // Below the width of a word, the engine measures it again for each letter.
      'wrappingWidth',
    ],
  }) satisfies MermaidConfig;

let engine: Promise<Mermaid> | undefined;

async function draw({ id, source, scheme }: DrawRequest): Promise<DrawAnswer> {
  try {
    engine ??= import('mermaid').then(module => module.default);
    const mermaid = await engine;
    mermaid.initialize(settings(scheme));
    const tooMuch = checkSource(source) ?? checkSize(await parse(mermaid, source), source);
    if (tooMuch !== undefined) return { id, problem: tooMuch };
    mermaid.initialize(settings(scheme));
    if (source.includes('gantt')) await countDays();
    const { svg, diagramType } = await mermaid.render(`diagram-${id}`, source);
    return { id, ...settle(svg, diagramType) };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    if (isOfLoading(words)) return { id, problem: unloaded };
    return { id, problem: words.startsWith('Edge limit exceeded') ? tooManyEdges : textStart(words, 500) };
  }
}

async function parse(mermaid: Mermaid, source: string): ReturnType<Mermaid['mermaidAPI']['getDiagramFromText']> {
  // How many rows the fields of a packet take is a setting of the text, which only this applies before anything is drawn.
  if (source.includes('packet')) await mermaid.parse(source);
  return mermaid.mermaidAPI.getDiagramFromText(source);
}

const tooManyEdges = `it has more than ${sourceBounds.edges} lines between things`;

/** A plan that leaves out days looks at each day of each task, which no count of lines bounds. Its days are counted as it is drawn. */
async function countDays(): Promise<void> {
  const { default: dayjs } = await import('dayjs');
  daysLeft = sourceBounds.planDays;
  if (countsDays) return;
  countsDays = true;
  const days = (dayjs as unknown as { prototype: Dayjs }).prototype;
  const { add } = days;
  days.add = function (this: Dayjs, ...parts) {
    daysLeft -= 1;
    if (daysLeft < 0) throw new Error('its tasks and the days that it leaves out take too long');
    return add.apply(this, parts);
  };
}
let daysLeft = 0;
let countsDays = false;

/** The engine comes in many parts, and each kind of diagram has its own. This is how Chromium, Firefox and WebKit say that one didn't come. */
const isOfLoading = (words: string): boolean =>
  /^(?:Failed to fetch|error loading) dynamically imported module|^Importing a module script failed/.test(words);

/**
 * The page gives a drawing 10 seconds (drawing-frame.ts). Layouts end after 4, and a drawing that keeps this thread busy keeps this timer
 * from firing. So what is not drawn when it fires is still waiting for a part of the engine.
 */
const loadMilliseconds = 9_000;

function loadTimeout({ id }: DrawRequest): Promise<DrawAnswer> {
  return new Promise(resolve => setTimeout(resolve, loadMilliseconds, { id, problem: unloaded }));
}

/** Kinds with their own layout, which makes many passes over all pairs of nodes. */
const ownLayout = /^(mindmap|architecture|block|cynefin|ishikawa|sankey)/;

/** Mermaid has several names for one kind: `class`, `classDiagram`. */
function ofKind(type: string, bounds: Readonly<Record<string, number>>): number | undefined {
  return Object.entries(bounds).find(([kind]) => type.startsWith(kind))?.[1];
}

/** Checks what the parser found before anything is measured or laid out. */
function checkSize(
  { type, db }: Awaited<ReturnType<Mermaid['mermaidAPI']['getDiagramFromText']>>,
  source: string,
): string | undefined {
  const most = sourceBounds;
  const data = (db as { getData?: () => unknown }).getData?.() as { nodes?: unknown[]; edges?: unknown[] } | undefined;
  const rows = (db as { getPacket?: () => unknown[][] }).getPacket?.().flat().length ?? 0;
  // One line of source makes as many as it asks for.
  if (rows > most.rowLines) return `it has ${rows} fields, more than ${most.rowLines}`;
  const lines = ownLayout.test(type)
    ? most.ownLayoutLines
    : (ofKind(type, most.linesOfKind) ?? (data ? most.sourceLines : most.rowLines));
  if (countLines(source) > lines) return `a diagram of its kind may have ${lines} lines`;
  const [nodes, edges] = [data?.nodes?.length ?? 0, data?.edges?.length ?? 0];
  if (nodes > most.nodes) return `it has ${nodes} things, more than ${most.nodes}`;
  const mostEdges = ofKind(type, most.edgesOfKind) ?? most.edges;
  if (edges > mostEdges) return `it has ${edges} lines between things, more than ${mostEdges}`;
  if (nodes * edges > most.nodesTimesEdges) return `${nodes} things with ${edges} lines between them are too many`;
  return checkWords(type, source);
}

/** Turns the drawing into a well-formed document of known size. */
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
  return { svg: new XMLSerializer().serializeToString(root), width, height, name: textStart(name || kind, 500) };
}

addEventListener('message', async (event: MessageEvent<DrawRequest>) => {
  // The page's answers about layouts arrive here too and are ignored (layout-outside.ts).
  if (event.source !== parent || typeof event.data.source !== 'string') return;
  // The page's origin is not known here, and the answer is no secret: it is made from what the page sent.
  parent.postMessage(await Promise.race([draw(event.data), loadTimeout(event.data)]), '*');
});
parent.postMessage('ready', '*');
