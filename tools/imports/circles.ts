import path from 'node:path';
import { drawnSources, roomOf, sourcesOf } from './check-module.ts';
import type { ModuleFacts } from './read-module.ts';
import { isTest } from './workspaces.ts';

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Every circle of files, then of rooms, one sentence each. Types count: two files that need each other's types are one file. */
export function checkCircles(modules: ReadonlyMap<string, ModuleFacts>): string[] {
  const files = fileGraph(modules);
  return [
    ...findCircles(files).map(circle => `${circle.join(' → ')} → ${circle[0]}: an import cycle (types count)`),
    ...drawnSources.flatMap(own =>
      findCircles(roomGraph(files, own)).map(circle => `${circle.join(' → ')} → ${circle[0]}: a cycle of rooms (types count)`),
    ),
  ];
}

function fileGraph(modules: ReadonlyMap<string, ModuleFacts>): Graph {
  return new Map(
    [...modules].map(([file, { reaches }]) => {
      const relative = reaches.map(({ specifier }) => specifier.split('?', 1)[0]!).filter(specifier => specifier.startsWith('.'));
      const targets = relative.map(specifier => path.posix.join(path.posix.dirname(file), specifier));
      return [file, new Set(targets.filter(target => modules.has(target)))];
    }),
  );
}

/** `app` is left out: it imports every room, and the file that starts it imports `app`. */
function roomGraph(files: Graph, own: string): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [file, targets] of files) {
    const sources = sourcesOf(file);
    if (sources !== own || isTest(file)) continue;
    const room = roomOf(file.slice(own.length));
    const reached = graph.get(room) ?? new Set();
    graph.set(room, reached);
    for (const target of targets) {
      const theirs = roomOf(target.slice(own.length));
      if (theirs !== room) reached.add(theirs);
    }
  }
  return graph;
}

/** One shortest circle for each group of rooms or files that import each other. */
function findCircles(graph: Graph): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  for (const start of graph.keys()) {
    if (done.has(start)) continue;
    const circle = shortestCircle(graph, start);
    if (!circle) continue;
    for (const member of circle) done.add(member);
    circles.push(circle);
  }
  return circles;
}

function shortestCircle(graph: Graph, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const node of queue) {
    for (const next of graph.get(node) ?? []) {
      if (next === start) return wayTo(node, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return undefined;
}

function wayTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [end];
  while (way[0] !== start) way.unshift(cameFrom.get(way[0]!)!);
  return way;
}
