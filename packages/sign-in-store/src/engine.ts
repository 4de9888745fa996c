import { StoreError } from './errors.ts';

/** A statement with `?` for each value. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
}

export type Row = Readonly<Record<string, string | number | null>>;

/** The steps of a transaction: yields statements and receives their rows. One definition serves synchronous and asynchronous engines. */
export type Steps<T> = Generator<Statement, T, Row[]>;

/** The operations that an engine must provide. It throws `StoreError` for every failure of its own. */
export interface Engine {
  /** Runs one statement on its own. */
  run(statement: Statement): Promise<Row[]>;
  /**
   * Runs the steps as one transaction. Transactions with the same `lock` name run one after the other; `shared` ones run
   * concurrently with each other, but not with an exclusive one.
   */
  transact<T>(lock: { name: string; shared?: boolean }, work: () => Steps<T>): Promise<T>;
  /**
   * A value that changes whenever any process may have changed anything: whatever was read before then no longer counts.
   * Undefined for engines where asking would cost as much as reading. With `isOfThisTurn`, it suffices to know the other
   * processes' writes as of the first question in this turn of the event loop. All requests handled in this turn began before
   * that, so none can know of a later write.
   */
  stamp?(isOfThisTurn?: boolean): number;
  close(): Promise<void>;
}

/** @throws {@link StoreError} `STORE_INVALID` for a text with NUL: SQLite would store it, PostgreSQL cannot */
export function sql(text: string, ...values: readonly (string | number | null | undefined)[]): Statement {
  if (values.some(value => typeof value === 'string' && value.includes('\0')))
    throw new StoreError('STORE_INVALID', 'a text must not contain NUL');
  return { sql: text, values: values.map(value => value ?? null) };
}
