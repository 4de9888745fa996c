import { atTurnEnd, currentClient, limitPerTurn, workFor } from '../../event-loop-turns.ts';

/** Reads the rows of many keys in one statement. Keys without a row are left out. */
export type ReadMany<Row> = (keys: readonly string[]) => Promise<readonly Row[]>;

export interface BatchReadsOptions {
  /** The limit per statement. */
  readonly maxKeys: number;
  /** The limit of concurrent statements. Readers that come later wait and share the next one. */
  readonly maxUnderWay: number;
}

interface Reader<Row> {
  readonly client: string | undefined;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Readers who go on in one turn of the event loop; some of them send an answer then, which takes some 70 µs. */
const goOnInTurn = 64;

/**
 * Combines reads that arrive in the same turn of the event loop, or while earlier ones are under way, into one statement: most of the cost
 * of a small read is its round trip. While turns are long, it combines only the latter: who waits for the end of one turn is answered after
 * another. A statement starts after all of its readers have asked, so no row is older than the request for it. It waits for its turn in no
 * client's line, or those who share it would wait behind all else that the first of them asked for. Of many who share it, a portion goes on
 * in each turn of the event loop, and their clients take turns.
 */
export function batchReads<Row>(
  readMany: ReadMany<Row>,
  keyOf: (row: Row) => string,
  { maxKeys, maxUnderWay }: BatchReadsOptions,
): (key: string) => Promise<Row | undefined> {
  const waiting = new Map<string, Reader<Row>[]>();
  const goOn = limitPerTurn(goOnInTurn);
  let underWay = 0;

  const sendGroups = atTurnEnd(() => {
    while (waiting.size > 0 && underWay < maxUnderWay) void send(takeGroup());
  });

  function schedule(): void {
    if (waiting.size > 0 && underWay < maxUnderWay) sendGroups();
  }

  function takeGroup(): Map<string, Reader<Row>[]> {
    const group = new Map<string, Reader<Row>[]>();
    for (const [key, readers] of waiting) {
      if (group.size >= maxKeys) break;
      group.set(key, readers);
      waiting.delete(key);
    }
    return group;
  }

  async function send(group: ReadonlyMap<string, Reader<Row>[]>): Promise<void> {
    underWay++;
    try {
      const read = await workFor(undefined, () => readMany([...group.keys()]));
      const rows = new Map(read.map(row => [keyOf(row), row]));
      answer(group, ({ resolve }, key) => resolve(rows.get(key)));
    } catch (error) {
      answer(group, ({ reject }) => reject(error));
    }
    underWay--;
    schedule();
  }

  function answer(group: ReadonlyMap<string, Reader<Row>[]>, tell: (reader: Reader<Row>, key: string) => void): void {
    for (const [key, readers] of group) for (const reader of readers) workFor(reader.client, () => goOn(() => tell(reader, key)));
  }

  return key =>
    new Promise((resolve, reject) => {
      const reader = { client: currentClient(), resolve, reject };
      const readers = waiting.get(key);
      if (readers) readers.push(reader);
      else waiting.set(key, [reader]);
      schedule();
    });
}
