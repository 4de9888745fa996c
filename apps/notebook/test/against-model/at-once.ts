import { answer } from './answer.ts';
import type { Aimed, Call, Told } from './calls.ts';
import { differences } from './compare.ts';
import { describe, perform } from './play.ts';
import { aim, type Run } from './requests.ts';
import type { Server } from './server.ts';
import type { World } from './world.ts';

/** One of several calls at once: when it began and ended, by a common count. */
export interface Made {
  readonly call: Aimed;
  readonly told: Told;
  readonly began: number;
  readonly ended: number;
}

/** Several clients make calls at once, each one after the other; all are aimed at what there was before. */
export async function makeAtOnce(
  servers: readonly Server[],
  world: World,
  run: Run,
  clients: readonly (readonly Call[])[],
): Promise<Made[]> {
  let count = 0;
  const made: Made[] = [];
  const aimed = clients.map(calls => calls.map(call => aim(world, run, call)));
  const make = async (calls: readonly Aimed[], at: number) => {
    for (const call of calls) {
      const began = ++count;
      if (call.kind === 'tick') for (const server of servers) server.setTime(world.now + call.by);
      const told = await perform(servers[at % servers.length]!, world, call);
      made.push({ call, told, began, ended: ++count });
    }
  };
  await Promise.all(aimed.map(make));
  return made;
}

/** The worlds that some order of the calls leaves behind in which each was answered as it was: as if each had happened at one moment. */
export function explain(worlds: readonly World[], made: readonly Made[]): World[] {
  const left = new Map<string, World>();
  const go = (world: World, rest: readonly Made[]): void => {
    if (rest.length === 0) left.set(JSON.stringify(world), world);
    for (const next of rest) {
      // What had ended before another began came before it.
      if (rest.some(other => other.ended < next.began)) continue;
      const after = structuredClone(world);
      if (differ(after, next)) continue;
      go(
        after,
        rest.filter(other => other !== next),
      );
    }
  };
  for (const world of worlds) go(world, made);
  return [...left.values()];
}

function differ(world: World, { call, told }: Made): boolean {
  const expected = answer(world, call, told);
  // An answer is cut off at a moment when its reader may no longer have it.
  if (told.isCutOff) return [expected.status].flat().every(status => status === 200);
  return differences(expected, told).length > 0;
}

/** What the model says instead, for a person to read. */
export function tell(worlds: readonly World[], made: readonly Made[]): string {
  const lines = made.map(({ call, told, began, ended }) => {
    const alone = differences(answer(structuredClone(worlds[0]!), call, told), told);
    return `${began}-${ended} ${describe(call)}\n    ${told.status} ${told.text.slice(0, 500)}\n    alone: ${alone.join('; ') || 'as expected'}`;
  });
  return `no order explains these calls:\n  ${lines.join('\n  ')}`;
}

/** What everybody sees afterwards: only what it explains is left. */
export async function observe(server: Server, worlds: readonly World[], run: Run, made: readonly Made[]): Promise<World[]> {
  let left = worlds;
  const [one] = worlds;
  const pages = Math.max(...one!.notebooks.map(book => book.pageIds.length));
  const looks: Call[] = [];
  for (let book = 0; book < one!.notebooks.length; book++) {
    looks.push(
      { kind: 'read', who: 'owner', book, again: false, markdown: false },
      { kind: 'read', who: 'visitor', book, again: false, markdown: false },
      ...Array.from({ length: pages }, (_, page): Call => ({ kind: 'snapshots', who: 'owner', book, page })),
      { kind: 'images', who: 'owner', book },
      { kind: 'comments', who: 'owner', book },
      { kind: 'view', who: 'visitor', book, door: 'view', page: 0, head: false, again: false },
      { kind: 'view', who: 'owner', book, door: 'print', page: 0, head: false, again: false },
      { kind: 'by-token', book, which: 'former', print: false },
    );
  }
  looks.push({ kind: 'list', door: '/sitemap.xml' }, { kind: 'search', word: 'elm§' }, { kind: 'search', word: 'root§' });
  for (const look of looks) {
    const call = aim(left[0]!, run, look);
    const told = await perform(server, left[0]!, call);
    const found: string[] = [];
    const next = left.filter(world => {
      const differs = differences(answer(world, call, told), told);
      found.push(...differs);
      return differs.length === 0;
    });
    if (next.length === 0) {
      const calls = made.map(
        each => `${each.began}-${each.ended} ${describe(each.call)} ${each.told.status} ${each.told.text.slice(0, 200)}`,
      );
      throw new Error(`after\n  ${calls.join('\n  ')}\nno order explains ${describe(call)}:\n  ${found.join('\n  ')}`);
    }
    left = next;
  }
  return [...left];
}
