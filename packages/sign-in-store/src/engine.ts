/** A statement with `?` for each value. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
}

export type Row = Readonly<Record<string, string | number | null>>;

/** The steps of a transaction: yields statements, gets their rows. One text for an engine that waits and one that does not. */
export type Steps<T> = Generator<Statement, T, Row[]>;

/** What an engine must do. It throws `StoreError` for every failure of its own. */
export interface Engine {
  /** Runs one statement on its own. */
  run(statement: Statement): Promise<Row[]>;
  /**
   * Runs the steps as one transaction. Transactions with one `lock` name run one after the other; `shared` ones run
   * beside each other but not beside an exclusive one.
   */
  transact<T>(lock: { name: string; shared?: boolean }, work: () => Steps<T>): Promise<T>;
  /**
   * Changes whenever anybody may have changed anything, in whichever process: what was read before then no longer counts.
   * Undefined where asking would cost as much as reading. `isOfThisTurn`: of other processes' writes it is enough to know those that were there when
   * this turn of the event loop asked first. Requests that are handled in it have all begun before, so none can know of a later one.
   */
  stamp?(isOfThisTurn?: boolean): number;
  close(): Promise<void>;
}

export function sql(text: string, ...values: readonly (string | number | null | undefined)[]): Statement {
  return { sql: text, values: values.map(value => value ?? null) };
}
