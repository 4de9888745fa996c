import type { Attributes, GraphToLayOut, LaidOut, LayoutAnswer, LayoutRequest } from './graph-layout.ts';

/** The parts of the engine's graph that a layout needs. */
interface EngineGraph {
  graph(): Record<string, unknown>;
  nodes(): string[];
  node(name: string): Record<string, unknown> | undefined;
  parent(name: string): string | undefined;
  children(name: string): string[];
  edges(): { v: string; w: string }[];
  edge(key: { v: string; w: string }): Record<string, unknown>;
}

// The attributes that dagre itself copies (`buildLayoutGraph`), after converting them to lowercase.
const graphAttributes = ['nodesep', 'edgesep', 'ranksep', 'marginx', 'marginy', 'acyclicer', 'ranker', 'rankdir', 'align'];
const nodeAttributes = ['width', 'height'];
const edgeAttributes = ['minlen', 'weight', 'width', 'height', 'labeloffset', 'labelpos'];

const words = new Set(['tb', 'bt', 'lr', 'rl', 'l', 'c', 'r', 'ul', 'ur', 'dl', 'dr', 'greedy']);
const rankers = new Set(['network-simplex', 'tight-tree', 'longest-path']);

let count = 0;

/**
 * Replaces dagre's `layout` inside Mermaid (vite.config.ts puts it there). In most browsers this frame shares its thread with the page: a
 * layout of twelve seconds would freeze the page for as long, and no time limit could end it. So the page lets a worker do the layout,
 * and the positions are written into the same graph.
 * @throws when it takes too long
 */
export async function layoutOutside(graph: EngineGraph): Promise<void> {
  const names = graph.nodes();
  const edges = graph.edges();
  const laidOut = await askPage(describe(graph, names, edges));
  if (!laidOut) throw new Error('it takes too long');
  for (const [place, name] of names.entries()) {
    const node = graph.node(name);
    const { x, y, width, height } = laidOut.nodes[place]!;
    if (node) Object.assign(node, { x, y }, graph.children(name).length > 0 ? { width, height } : {});
  }
  for (const [place, key] of edges.entries()) {
    const { points, label } = laidOut.edges[place]!;
    Object.assign(graph.edge(key), { points: points.map(point => ({ ...point })) }, label);
  }
  Object.assign(graph.graph(), { width: laidOut.width, height: laidOut.height });
}

function describe(graph: EngineGraph, names: readonly string[], edges: readonly { v: string; w: string }[]): GraphToLayOut {
  const places = new Map(names.map((name, place) => [name, place]));
  return {
    graph: pick(graph.graph(), graphAttributes),
    nodes: names.map(name => {
      const parent = graph.parent(name);
      return { attributes: pick(graph.node(name), nodeAttributes), parent: parent === undefined ? parent : places.get(parent) };
    }),
    edges: edges.map(key => ({
      from: places.get(key.v)!,
      to: places.get(key.w)!,
      attributes: pick(graph.edge(key), edgeAttributes),
    })),
  };
}

function pick(from: Record<string, unknown> | undefined, known: readonly string[]): Attributes {
  const picked: Record<string, number | string> = {};
  for (const [key, value] of Object.entries(from ?? {})) {
    const name = key.toLowerCase();
    if (!known.includes(name)) continue;
    if (typeof value === 'string' && (words.has(value.toLowerCase()) || rankers.has(value))) picked[name] = value;
    else if (!['rankdir', 'ranker', 'align', 'acyclicer', 'labelpos'].includes(name) && Number.isFinite(Number(value)))
      picked[name] = Number(value);
  }
  return picked;
}

function askPage(graph: GraphToLayOut): Promise<LaidOut | undefined> {
  const layout = ++count;
  return new Promise(resolve => {
    const onMessage = ({ source, data }: MessageEvent<LayoutAnswer>): void => {
      if (source !== parent || data.layout !== layout) return;
      removeEventListener('message', onMessage);
      resolve(data.laidOut);
    };
    addEventListener('message', onMessage);
    parent.postMessage({ layout, graph } satisfies LayoutRequest, '*');
  });
}
