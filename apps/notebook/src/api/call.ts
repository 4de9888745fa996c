/** One call of the API: its method and its address, and which body and answer belong to them. */
export interface Call<Names extends readonly string[] = readonly string[], Body = unknown, Answer = unknown> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: (...names: Names) => string;
  /** Types alone: never there at run time. */
  readonly types?: { readonly body: Body; readonly answer: Answer };
}
