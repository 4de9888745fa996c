import { layout } from 'dagre-d3-es/src/dagre/index.js';
import { Graph } from 'dagre-d3-es/src/graphlib/index.js';
import { type GraphToLayOut, type LaidOut, mostPoints, type Point } from './graph-layout.ts';

// The slow part of drawing a diagram, in its own thread. The caller terminates it when it takes too long.

/** Not an integer key, which would change the order of the nodes. */
const nameOf = (place: number): string => `n${place}`;

function layOut({ graph: attributes, nodes, edges }: GraphToLayOut): LaidOut | undefined {
  const graph = new Graph({ multigraph: true, compound: true });
  graph.setGraph({ ...attributes });
  for (const [place, node] of nodes.entries()) graph.setNode(nameOf(place), { ...node.attributes });
  for (const [place, { parent }] of nodes.entries()) if (parent !== undefined) graph.setParent(nameOf(place), nameOf(parent));
  const keys = edges.map(({ from, to }, place) => ({ v: nameOf(from), w: nameOf(to), name: `e${place}` }));
  for (const [place, key] of keys.entries()) graph.setEdge(key, { ...edges[place]!.attributes });
  layout(graph, undefined);
  const laid = keys.map(key => graph.edge(key) as { points: Point[] } & Partial<Point>);
  if (laid.reduce((sum, { points }) => sum + points.length, 0) > mostPoints) return undefined;
  const { width, height } = graph.graph() as { width: number; height: number };
  return {
    width,
    height,
    nodes: nodes.map((_, place) => {
      const { x, y, width, height } = graph.node(nameOf(place)) as LaidOut['nodes'][number];
      return { x, y, width, height };
    }),
    edges: laid.map(({ points, x, y }) => ({ points, label: x === undefined || y === undefined ? undefined : { x, y } })),
  };
}

addEventListener('message', ({ data }: MessageEvent<GraphToLayOut>) => postMessage(layOut(data)));
postMessage('ready');
