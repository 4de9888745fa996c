import type { Owner } from '../../model/rights.ts';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import type { Engine } from '../engine.ts';
import type { Query, Steps } from '../statement.ts';
import type { Statements } from '../statements.ts';
import { deleteNotebook } from './write-notebook.ts';
import { lockForOwner } from './write-rights.ts';

const portionBytes = 1_048_576;

interface Sized {
  readonly id: string;
  readonly bytes: number;
}

/**
 * Deletes a notebook for its owner. Deleted texts are overwritten: tens of mebibytes in one transaction would block everybody else for
 * seconds. So the data that nobody misses goes first, in portions: the HTML, which is rendered again for a reader meanwhile, and the
 * snapshots, which only the owner sees. The last portion of each goes with the notebook itself.
 */
export async function deleteNotebookInPortions(
  engine: Engine,
  statements: Statements,
  by: Owner,
  slugFreeAt: number,
): Promise<boolean> {
  const { sizes, kept, snapshots } = statements;
  const notebook = by.notebookId;
  let gone = 0;
  const drop = async (all: readonly Sized[], dropSome: (ids: string) => Query) => {
    for (const ids of inPortions(all).slice(0, -1)) {
      await engine.write(() => dropForOwner(statements, by, dropSome(JSON.stringify(ids))));
      gone += 1;
    }
  };
  await drop(await engine.read(sizes.renderings, { notebook }), pages => kept.dropRenderings.with({ pages }));
  gone = 0;
  try {
    await drop(await engine.read(sizes.snapshots, { notebook }), ids => snapshots.drop.with({ ids }));
    return await engine.write(() => deleteNotebook(statements, by, slugFreeAt));
  } catch (error) {
    // The error must not say that nothing changed: snapshots do not come back.
    throw gone > 0 && error instanceof DatabaseUnavailable ? new DatabaseUnavailable(error.cause, true) : error;
  }
}

export function inPortions(sized: readonly Sized[]): string[][] {
  const portions: string[][] = [];
  let room = 0;
  for (const { id, bytes } of sized) {
    // An empty one still costs a row.
    const cost = Math.max(bytes, 1_024);
    if (cost > room) {
      portions.push([]);
      room = Math.max(cost, portionBytes);
    }
    portions.at(-1)!.push(id);
    room -= cost;
  }
  return portions;
}

function* dropForOwner({ notebooks }: Statements, by: Owner, drop: Query): Steps<void> {
  const notebook = yield* lockForOwner(notebooks, by);
  if (notebook?.takenDownAt === null) yield drop;
}
